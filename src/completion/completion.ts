import { randomBytes, randomInt } from 'node:crypto';
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest, ChatMessage, Usage } from '../api/index.js';
import { AppError, systemClock, type Clock } from '../base/index.js';
import type { ChatDelta, Dialect, TemplateVariables } from '../chat/index.js';
import type { GenerateRequest, Generator } from '../engine/index.js';
import type { Tokenizer } from '../tokenizer/index.js';
import { abortableStream } from './abortable-stream.js';
import { AnswerReader } from './answer-reader.js';
import {
  MessageBuilder,
  roleDelta,
  toChunk,
  toChunkDeltas,
  toUsageChunk,
  type AnswerEnd,
  type AnswerHead,
} from './chunks.js';
import {
  offeredTools,
  toTemplateVariables,
  wantsThinking,
  type RenderChatOptions,
  type TemplateTokens,
} from './template-messages.js';

/** What a model's completions are made with. */
export interface CompletionOptions {
  readonly modelId: string;
  /** Names the build and the weights; never empty, since clients drop usage without it (wire.md 2.2). */
  readonly systemFingerprint: string;
  readonly generator: Generator;
  readonly tokenizer: Pick<Tokenizer, 'decode' | 'createDetokenizer'>;
  /** Prompt text to ids, without special tokens of its own: the template writes them. */
  readonly encode: (text: string, signal: AbortSignal | undefined) => Promise<readonly number[]> | readonly number[];
  readonly renderPrompt: (variables: TemplateVariables, signal: AbortSignal | undefined) => Promise<string> | string;
  readonly templateTokens: TemplateTokens;
  readonly dialect: Dialect;
  readonly stopTokenIds: readonly number[];
  readonly clock?: Clock;
  /** Random text for ids. */
  readonly newId?: () => string;
  /** The seed of a request that brings none: any integer. */
  readonly newSeed?: () => number;
}

/** How a call is cancelled: an abort rejects with `signal.reason`. */
export interface CompletionCallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Answers chat requests with one model. Errors of both: `context_length_exceeded`, the template's, the engine's. */
export interface Completion {
  chat(request: ChatCompletionRequest, options?: CompletionCallOptions): Promise<ChatCompletion>;
  /** The wire's chunks in the wire's order, made as they are pulled. Leaving the iteration cancels the sequence. */
  stream(request: ChatCompletionRequest, options?: CompletionCallOptions): AsyncGenerator<ChatCompletionChunk, void>;
  /** The text that the model would be given. */
  renderChat(messages: readonly ChatMessage[], options?: RenderChatOptions & CompletionCallOptions): Promise<string>;
}

/** A prompt, ready to be continued. */
interface Prompt {
  readonly generate: GenerateRequest;
  readonly startsInReasoning: boolean;
}

/** Completions of one model. Owns nothing: whoever made generator and tokenizer disposes of them. */
export function createCompletion(options: CompletionOptions): Completion {
  const { generator, tokenizer, dialect, clock = systemClock } = options;
  const newId = options.newId ?? (() => randomBytes(12).toString('hex'));
  const newCallId = (): string => `call_${newId()}`;
  const controlTokens = new Map<number, boolean>();
  const isHidden = (id: number, content: string): boolean => {
    if (dialect.tags.includes(content)) return false;
    const known = controlTokens.get(id) ?? tokenizer.decode([id], { skipSpecialTokens: true }) === '';
    controlTokens.set(id, known);
    return known;
  };

  const renderChat: Completion['renderChat'] = async (messages, { signal, ...rest } = {}) =>
    options.renderPrompt(toTemplateVariables(messages, rest, options.templateTokens), signal);

  const openAnswer = (): AnswerHead => ({
    id: `chatcmpl-${newId()}`,
    created: clock.unixSeconds(),
    model: options.modelId,
    system_fingerprint: options.systemFingerprint,
  });

  /** Renders and encodes. Errors: `context_length_exceeded`. */
  const prepare = async (request: ChatCompletionRequest, signal: AbortSignal): Promise<Prompt> => {
    signal.throwIfAborted();
    const text = await renderChat(request.messages, {
      tools: offeredTools(request),
      addGenerationPrompt: true,
      enableThinking: wantsThinking(request),
      templateKwargs: request.chat_template_kwargs,
      signal,
    });
    const promptTokenIds = await options.encode(text, signal);
    signal.throwIfAborted();
    const room = generator.contextLength - promptTokenIds.length;
    if (room < 1) throw contextExceeded(promptTokenIds.length, generator.contextLength);
    const asked = request.max_completion_tokens ?? request.max_tokens ?? room;
    const { reasoningTag } = dialect;
    return {
      startsInReasoning: reasoningTag !== null && text.trimEnd().endsWith(reasoningTag),
      generate: {
        promptTokenIds,
        maxTokens: Math.min(asked, room),
        sampling: toSampling(request, options.newSeed ?? (() => randomInt(2 ** 47))),
        stopTokenIds: options.stopTokenIds,
        ignoreStop: false,
      },
    };
  };

  /** The deltas of an answer, those of one engine output together; returns how it ended. */
  const answer = async function* (
    request: ChatCompletionRequest,
    prompt: Prompt,
    signal: AbortSignal,
  ): AsyncGenerator<ChatDelta[], AnswerEnd> {
    const parser = dialect.createParser({
      startsInReasoning: prompt.startsInReasoning,
      tools: offeredTools(request).length > 0,
    });
    const detokenizer = tokenizer.createDetokenizer();
    const reader = new AnswerReader({ detokenizer, parser, stops: toStops(request), isHidden });
    let ending: 'stop' | 'length' | undefined;
    let cached = 0;
    for await (const output of generator.generate(prompt.generate, signal)) {
      signal.throwIfAborted();
      ending = output.finishReason;
      cached += output.cachedTokens ?? 0;
      const deltas = reader.push(output.tokenIds);
      if (deltas.length > 0) yield deltas;
      if (reader.stopped || ending !== undefined) break;
    }
    // A sequence cut short by an abort may end without an output that says so.
    signal.throwIfAborted();
    const stopIds = ending === 'stop' && !reader.stopped ? 1 : 0;
    const rest = reader.end();
    if (rest.length > 0) yield rest;
    const cut = ending === 'length' && !reader.stopped;
    return {
      finishReason: cut ? 'length' : reader.completeCalls > 0 ? 'tool_calls' : 'stop',
      usage: toUsage(prompt.generate.promptTokenIds.length, cached, reader.tokens + stopIds, reader.reasoningTokens),
    };
  };

  const chunks = async function* (
    request: ChatCompletionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ChatCompletionChunk, void> {
    const includeUsage = request.stream_options?.include_usage === true;
    const prompt = await prepare(request, signal);
    const head = openAnswer();
    const deltas = answer(request, prompt, signal);
    try {
      yield toChunk(head, roleDelta, null, includeUsage);
      let result = await deltas.next();
      for (; result.done !== true; result = await deltas.next()) {
        for (const delta of result.value) {
          for (const piece of toChunkDeltas(delta, newCallId)) yield toChunk(head, piece, null, includeUsage);
        }
      }
      yield toChunk(head, {}, result.value.finishReason, includeUsage);
      if (includeUsage) yield toUsageChunk(head, result.value.usage);
    } finally {
      await deltas.return({ finishReason: 'stop', usage: toUsage(0, 0, 0, 0) });
    }
  };

  return {
    renderChat,
    stream: (request, { signal } = {}) => abortableStream((inner) => chunks(request, inner), signal),
    async chat(request, { signal = new AbortController().signal } = {}) {
      const prompt = await prepare(request, signal);
      const head = openAnswer();
      const message = new MessageBuilder();
      const deltas = answer(request, prompt, signal);
      let result = await deltas.next();
      for (; result.done !== true; result = await deltas.next()) {
        for (const delta of result.value) message.add(delta, newCallId);
      }
      return message.toCompletion(head, result.value);
    },
  };
}

/** The request's sampling; absent values are those of the wire (wire.md 2.1). */
function toSampling(request: ChatCompletionRequest, newSeed: () => number): GenerateRequest['sampling'] {
  return {
    temperature: request.temperature ?? 1,
    topP: request.top_p ?? 1,
    topK: Math.max(0, request.top_k ?? 0),
    minP: request.min_p ?? 0,
    seed: request.seed ?? newSeed(),
  };
}

function toStops({ stop }: ChatCompletionRequest): readonly string[] {
  return typeof stop === 'string' ? [stop] : (stop ?? []);
}

function toUsage(promptTokens: number, cachedTokens: number, completionTokens: number, reasoningTokens: number): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}

function contextExceeded(promptTokens: number, contextLength: number): AppError {
  return new AppError(
    'context_length_exceeded',
    `the prompt has ${promptTokens} tokens and the context holds ${contextLength}, so there is no room for an answer; shorten the conversation`,
    { n_prompt_tokens: promptTokens, n_ctx: contextLength, param: 'messages' },
  );
}
