import { randomBytes } from 'node:crypto';
import {
  DEFAULT_COMPLETION_TOKENS,
  type TextCompletion,
  type TextCompletionChunk,
  type TextCompletionRequest,
  type TextPrompt,
  type Usage,
} from '../api/index.js';
import { AppError, present, systemClock } from '../base/index.js';
import { dialects } from '../chat/index.js';
import { endingStream } from './abortable-stream.js';
import type { AnswerDelta } from './answer-reader.js';
import { createPlanner, hiddenTokens, NO_LIMIT, roomFor } from './choice-planner.js';
import { answerChoices, type ChoiceEnd, type ChoiceEvent, type ChoiceRequest } from './choice.js';
import { toUsage, type AnswerHead } from './chunks.js';
import type { CompletionCallOptions, CompletionOptions } from './completion-options.js';
import type { ContentToken } from './content-trace.js';
import { createTextLogprobWriter } from './logprobs.js';
import { checkTokenId } from './to-sampling.js';

/** Continues prompts as they are, without a template. Errors of both: `overloaded`, `context_length_exceeded`, the engine's. */
export interface TextCompleter {
  complete(request: TextCompletionRequest, options?: CompletionCallOptions): Promise<TextCompletion>;
  /** The wire's chunks, made as they are pulled; those of several choices as they come. */
  stream(request: TextCompletionRequest, options?: CompletionCallOptions): AsyncGenerator<TextCompletionChunk, void>;
}

/** What a model's texts are completed with; `encode` adds what the tokenizer puts around every text. */
export type TextCompleterOptions = Omit<
  CompletionOptions,
  'renderPrompt' | 'templateFeatures' | 'templateTokens' | 'dialect'
>;

/** One prompt of a request: its sequences, and its text where that is to be given back. */
interface PreparedPrompt {
  readonly echo: string;
  readonly promptTokens: number;
  readonly choices: readonly ChoiceRequest[];
}

/** A choice while its answer comes. */
interface OpenChoice {
  readonly prompt: PreparedPrompt;
  text: string;
  readonly tokens: ContentToken[];
  end: ChoiceEnd | undefined;
}

/** What a choice without room for tokens ends with. */
const NOTHING: ChoiceEnd = { finishReason: 'length', cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };

/** Completes texts with one model. Owns nothing. */
export function createTextCompleter(options: TextCompleterOptions): TextCompleter {
  const { generator, tokenizer, clock = systemClock, admit } = options;
  const newId = options.newId ?? (() => randomBytes(12).toString('hex'));
  const plan = createPlanner(options);
  const isHidden = hiddenTokens(tokenizer, []);
  const toLogprobs = createTextLogprobWriter(tokenizer);

  const openAnswer = ({
    modelName = options.modelId,
  }: CompletionCallOptions): AnswerHead & { readonly object: 'text_completion' } => ({
    id: `cmpl-${newId()}`,
    object: 'text_completion',
    created: clock.unixSeconds(),
    model: modelName,
    system_fingerprint: options.systemFingerprint,
  });

  const prepare = async (
    request: TextCompletionRequest,
    call: CompletionCallOptions,
    signal: AbortSignal,
  ): Promise<PreparedPrompt[]> => {
    const planChoices = await plan(request, call, signal);
    const plain = request.parse_special === false ? 'everywhere' : undefined;
    const { n = 1, echo = false, logprobs, max_tokens: asked = DEFAULT_COMPLETION_TOKENS } = request;
    return Promise.all(
      toPrompts(request.prompt).map(async (prompt, position) => {
        const promptTokenIds = typeof prompt === 'string' ? await options.encode(prompt, signal, plain) : prompt;
        checkPrompt(promptTokenIds, options.vocabSize);
        const room = roomFor(promptTokenIds.length, generator.contextLength, 'prompt');
        const maxTokens = asked === NO_LIMIT ? room : Math.min(asked, room);
        const choices = planChoices({
          promptTokenIds,
          maxTokens,
          ...(logprobs !== undefined && { logprobs }),
          firstIndex: position * n,
          createParser: dialects.plain.createParser,
          isHidden,
          oneCall: false,
          hideReasoning: false,
        });
        const text = typeof prompt === 'string' ? prompt : tokenizer.decode(prompt);
        return { echo: echo ? text : '', promptTokens: promptTokenIds.length, choices };
      }),
    );
  };

  /** What comes of all prompts, which may be nothing. */
  async function* answer(
    request: TextCompletionRequest,
    prompts: readonly PreparedPrompt[],
    signal: AbortSignal,
    onBegin: () => void,
  ): AsyncGenerator<ChoiceEvent, void> {
    const choices = prompts.flatMap((prompt) => prompt.choices);
    if (request.max_tokens === 0) {
      for (const { index } of choices) yield { index, deltas: [], end: NOTHING };
      return;
    }
    yield* answerChoices(generator, choices, signal, onBegin);
  }

  async function* chunks(
    request: TextCompletionRequest,
    call: CompletionCallOptions,
    outer: AbortSignal,
  ): AsyncGenerator<TextCompletionChunk, void> {
    using places = admit?.(numSequences(request), call.caller, outer);
    const { signal = outer } = places ?? {};
    const prompts = await prepare(request, call, signal);
    const head = openAnswer(call);
    const open = openChoices(prompts);
    const includeUsage = request.stream_options?.include_usage === true;
    const toChunk = (choice: TextCompletionChunk['choices'][number]): TextCompletionChunk => {
      return { ...head, choices: [choice], ...(includeUsage && { usage: null }) };
    };
    for (const [index, choice] of open.entries()) {
      choice.text = choice.prompt.echo;
      if (choice.text !== '') yield toChunk({ index, text: choice.text, logprobs: null, finish_reason: null });
    }
    for await (const { index, deltas, end } of answer(request, prompts, signal, () => places?.begin())) {
      const choice = present(open[index], 'an event is of a choice');
      for (const { text, tokens } of contentOf(deltas)) {
        const logprobs = tokens === undefined ? null : toLogprobs(tokens, choice.text.length);
        choice.text += text;
        yield toChunk({ index, text, logprobs, finish_reason: null });
      }
      if (end === undefined) continue;
      choice.end = end;
      yield toChunk({ index, text: '', logprobs: null, finish_reason: toReason(end) });
    }
    const usage = totalUsage(open);
    call.onUsage?.(usage);
    if (includeUsage) yield { ...head, choices: [], usage };
  }

  return {
    stream: (request, call = {}) => endingStream((signal) => chunks(request, call, signal), call.signal),
    async complete(request, call = {}) {
      using places = admit?.(numSequences(request), call.caller, call.signal);
      const { signal = call.signal ?? new AbortController().signal } = places ?? {};
      const prompts = await prepare(request, call, signal);
      const head = openAnswer(call);
      const open = openChoices(prompts);
      for await (const { index, deltas, end } of answer(request, prompts, signal, () => places?.begin())) {
        const choice = present(open[index], 'an event is of a choice');
        for (const { text, tokens = [] } of contentOf(deltas)) {
          choice.text += text;
          choice.tokens.push(...tokens);
        }
        choice.end ??= end;
      }
      return {
        ...head,
        choices: open.map(({ prompt, text, tokens, end }, index) => ({
          index,
          text: prompt.echo + text,
          logprobs: request.logprobs === undefined ? null : toLogprobs(tokens, 0),
          finish_reason: toReason(present(end, 'every choice ends')),
        })),
        usage: totalUsage(open),
      };
    },
  };
}

/** The prompts of a request, each a text or token ids. */
function toPrompts(prompt: TextPrompt): readonly (string | number[])[] {
  if (typeof prompt === 'string') return [prompt];
  return isNumbers(prompt) ? [prompt] : prompt;
}

function isNumbers(prompt: Exclude<TextPrompt, string>): prompt is number[] {
  return typeof prompt[0] === 'number';
}

/** Errors: `invalid_value`. */
function checkPrompt(tokenIds: readonly number[], vocabSize: number): void {
  const param = 'prompt';
  if (tokenIds.length === 0)
    throw new AppError('invalid_value', 'prompt is empty; one token at least is needed', { param });
  for (const id of tokenIds) checkTokenId(param, id, vocabSize);
}

function numSequences(request: TextCompletionRequest): number {
  return toPrompts(request.prompt).length * (request.n ?? 1);
}

function openChoices(prompts: readonly PreparedPrompt[]): OpenChoice[] {
  return prompts.flatMap((prompt) => prompt.choices.map(() => ({ prompt, text: '', tokens: [], end: undefined })));
}

function contentOf(deltas: readonly AnswerDelta[]): Extract<AnswerDelta, { type: 'content' }>[] {
  return deltas.filter((delta) => delta.type === 'content');
}

function toReason({ finishReason }: ChoiceEnd): 'stop' | 'length' {
  return finishReason === 'length' ? 'length' : 'stop';
}

/** What all prompts took together. */
function totalUsage(open: readonly OpenChoice[]): Usage {
  const prompts = [...new Set(open.map(({ prompt }) => prompt))];
  const each = prompts.map((prompt) => {
    const own = open.filter((choice) => choice.prompt === prompt);
    return toUsage(
      prompt.promptTokens,
      own.map(({ end }) => present(end, 'every choice ends')),
    );
  });
  return each.reduce((sum, usage) => ({
    prompt_tokens: sum.prompt_tokens + usage.prompt_tokens,
    completion_tokens: sum.completion_tokens + usage.completion_tokens,
    total_tokens: sum.total_tokens + usage.total_tokens,
    prompt_tokens_details: {
      cached_tokens: sum.prompt_tokens_details.cached_tokens + usage.prompt_tokens_details.cached_tokens,
    },
    completion_tokens_details: { reasoning_tokens: 0 },
  }));
}
