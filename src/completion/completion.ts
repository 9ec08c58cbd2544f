import type { Prompt } from '../chat/index.js';
import { endingStream } from '../base/index.js';
import { answerChoices } from './choices/answer-choices.js';
import type { CompletionCallOptions, CompletionOptions } from './completion-options.js';
import type { ChoiceDeltas, ChoiceEnd, CompletionEvent, TokenUsage } from './events.js';
import { createFeatureCheck } from './templates/feature-check.js';
import { createChatPreparer } from './prepare-chat.js';
import { createTextPreparer } from './prepare-text.js';
import { TokenRecord } from './choices/token-record.js';
import type { PreparedPrompt } from './prepared-prompt.js';
import type { ChatPrompt, CompletionRequest } from './request.js';
import { renderConversation } from './templates/render-conversation.js';

/** Answers requests with one model. Errors: `overloaded`, `context_length_exceeded`, the template's, the engine's. */
export interface Completion {
  /** The model's name in answers. */
  readonly modelId: string;
  /** Names the build and the weights. */
  readonly systemFingerprint: string;
  /**
   * The answer as events, made as they are pulled; events of several choices come in order of arrival. The first event
   * comes when the request has its slots and its prompt is ready, before any token. Leaving the iteration cancels the
   * sequences. While `next()` is pending, only the signal cancels.
   */
  stream(request: CompletionRequest, options?: CompletionCallOptions): AsyncGenerator<CompletionEvent, void>;
  /** Tokens of a conversation's prompt, even beyond the context. Errors: the template's. */
  countTokens(request: ChatPrompt, signal?: AbortSignal): Promise<number>;
  /** The text of the model's prompt. `addsGenerationPrompt`: it ends with the opening of an assistant's turn. */
  renderChat(request: ChatPrompt, addsGenerationPrompt: boolean, signal?: AbortSignal): Promise<string>;
  /** The token ids of the model's prompt: those of `renderChat`, where control tokens in messages are text. */
  encodeChat(request: ChatPrompt, addsGenerationPrompt: boolean, signal?: AbortSignal): Promise<readonly number[]>;
}

/** Completions of one model. Owns nothing: the creator of generator and tokenizer disposes of them. */
export function createCompletion(options: CompletionOptions): Completion {
  const { modelId, systemFingerprint, generator, admit } = options;
  const chat = createChatPreparer(options);
  const text = createTextPreparer(options);
  const checkFeatures = createFeatureCheck(options);

  const render = async (request: ChatPrompt, addsGenerationPrompt: boolean, signal?: AbortSignal): Promise<Prompt> => {
    const template = chat.requireTemplate();
    await checkFeatures(request, signal);
    return renderConversation(request, { template, addsGenerationPrompt, signal });
  };

  const prepare = async (
    request: CompletionRequest,
    call: CompletionCallOptions,
    signal: AbortSignal,
  ): Promise<readonly PreparedPrompt[]> => {
    if (request.kind === 'chat') return [await chat.prepare(request, call, signal)];
    return text.prepare(request, call, signal);
  };

  /** A conversation for a model without a template becomes the text to continue instead. */
  const withoutTemplate = (request: CompletionRequest): CompletionRequest => {
    if (request.kind === 'text' || options.template !== undefined) return request;
    const { textWithoutTemplate: prompt, trustsControlTokens } = request;
    if (prompt === undefined) return request;
    return {
      ...request,
      kind: 'text',
      prompts: [prompt],
      echo: false,
      readsControlTokensAsText: !trustsControlTokens,
    };
  };

  const events = async function* (
    asked: CompletionRequest,
    call: CompletionCallOptions,
    outer: AbortSignal,
  ): AsyncGenerator<CompletionEvent, void> {
    const request = withoutTemplate(asked);
    if (request.kind === 'chat') chat.requireTemplate();
    using places = admit?.(numSequences(request), call.caller, outer);
    const { signal = outer } = places ?? {};
    const prompts = await prepare(request, call, signal);
    const choices = prompts.flatMap((prompt) => prompt.choices);
    const unenforced = [...new Set(prompts.flatMap((prompt) => prompt.unenforced))];
    const promptTokens = sum(prompts.map((prompt) => prompt.promptTokens));
    const echoes = prompts.flatMap(({ echo, choices: own }) => own.map(() => echo));
    yield { type: 'begin', echoes, promptTokens, unenforced };
    const ends: ChoiceEnd[] = [];
    const record = request.tellsTokenIds === true ? new TokenRecord(generator, choices[0]) : undefined;
    const answers =
      request.maxTokens === 0 ? nothing(choices.length) : answerChoices(record ?? generator, choices, signal);
    for await (const event of answers) {
      if (event.begins === true) places?.begin();
      if (event.end !== undefined) ends[event.index] = event.end;
      yield event;
    }
    yield { type: 'end', usage: toUsage(prompts, ends), ...(record && { tokenIds: record.tokenIds(ends[0]) }) };
  };

  return {
    modelId,
    systemFingerprint,
    stream: (request, call = {}) => endingStream((signal) => events(request, call, signal), call.signal),
    countTokens: async (request, signal) => (await chat.renderRequest(request, signal)).promptTokenIds.length,
    renderChat: async (request, adds, signal) => (await render(request, adds, signal)).text,
    async encodeChat(request, adds, signal) {
      const { text: prompt, plainAt } = await render(request, adds, signal);
      return options.encode(prompt, signal, plainAt);
    },
  };
}

function numSequences(request: CompletionRequest): number {
  return request.kind === 'chat' ? request.n : request.prompts.length * request.n;
}

/** The end of choices without room for tokens. */
async function* nothing(count: number): AsyncGenerator<ChoiceDeltas, void> {
  const end: ChoiceEnd = { finishReason: 'length', cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
  for (let index = 0; index < count; index++) yield { type: 'choice', index, deltas: [], end };
}

/**
 * Tokens of an answer: each prompt once, the completions of all choices. Cached tokens are those of the first choice of
 * each prompt.
 */
function toUsage(prompts: readonly PreparedPrompt[], ends: readonly ChoiceEnd[]): TokenUsage {
  return {
    promptTokens: sum(prompts.map(({ promptTokens }) => promptTokens)),
    completionTokens: sum(ends.map(({ completionTokens }) => completionTokens)),
    // The other choices share the first one's prompt; a request alone would not have saved that.
    cachedTokens: sum(
      prompts.map(({ choices }) => Math.min(...choices.map(({ index }) => ends[index]?.cachedTokens ?? 0))),
    ),
    reasoningTokens: sum(ends.map(({ reasoningTokens }) => reasoningTokens)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
