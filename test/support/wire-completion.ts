// A completion as a wire's clients see it: requests and answers in a dialect, without a server.
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatMessage,
  TextCompletion,
  TextCompletionChunk,
  Tool,
  Usage,
} from '../../src/api/index.js';
import type { ChatCompletionRequest, TextCompletionRequest } from '../../src/wire/request-schemas.js';
import { abortableStream } from '../../src/base/index.js';
import type { Completion } from '../../src/completion/index.js';
import {
  answerStream,
  answerWhole,
  dialects,
  toChatPrompt,
  toChatWireRequest,
  toUsage,
  type WireAnswerOptions,
  type WireDialect,
  type WireRequest,
} from '../../src/wire/index.js';

/** How a call is made. */
export interface CallOptions extends WireAnswerOptions {
  readonly onUsage?: (usage: Usage) => void;
}

/** How a conversation is rendered. */
export interface RenderOptions {
  readonly tools?: readonly Tool[];
  readonly addGenerationPrompt?: boolean;
  readonly enableThinking?: boolean;
  readonly parseSpecial?: boolean;
  readonly dropUnsupported?: boolean;
  readonly templateKwargs?: Record<string, unknown>;
  readonly signal?: AbortSignal;
}

/** Chat and text completions of one model. */
export interface WireCompletion {
  chat(request: ChatCompletionRequest, options?: CallOptions): Promise<ChatCompletion>;
  stream(request: ChatCompletionRequest, options?: CallOptions): AsyncGenerator<ChatCompletionChunk, void>;
  complete(request: TextCompletionRequest, options?: CallOptions): Promise<TextCompletion>;
  streamText(request: TextCompletionRequest, options?: CallOptions): AsyncGenerator<TextCompletionChunk, void>;
  countTokens(request: ChatCompletionRequest, signal?: AbortSignal): Promise<number>;
  renderChat(messages: readonly ChatMessage[], options?: RenderOptions): Promise<string>;
  encodeChat(messages: readonly ChatMessage[], options?: RenderOptions): Promise<readonly number[]>;
}

/** `completion` in the dialects of OpenAI's completions; `fixed` says what ids and times are. */
export function overWire(
  completion: Completion,
  fixed: Pick<WireAnswerOptions, 'newId' | 'clock'> = {},
): WireCompletion {
  const open = async (): Promise<Disposable & { readonly completion: Completion }> =>
    Promise.resolve({ completion, [Symbol.dispose]: () => undefined });
  const { chatCompletions, textCompletions } = dialects;
  const objectsOf = <Event>(
    dialect: WireDialect<unknown, Event>,
    request: WireRequest,
    { onUsage, signal: outer, ...call }: CallOptions,
  ): AsyncGenerator<Event, void> =>
    abortableStream(async function* (signal) {
      const { events } = answerStream(dialect, request, { ...fixed, ...call, signal, open });
      for await (const { event, objects } of events) {
        if (event.type === 'end') onUsage?.(toUsage(event.usage));
        // Not yield*: that waits a turn for each.
        for (const object of objects) yield object;
      }
    }, outer);
  const promptOf = (messages: readonly ChatMessage[], options: RenderOptions) =>
    toChatPrompt({
      messages: [...messages],
      ...(options.tools && { tools: [...options.tools] }),
      ...(options.enableThinking !== undefined && { enable_thinking: options.enableThinking }),
      ...(options.parseSpecial !== undefined && { parse_special: options.parseSpecial }),
      ...(options.dropUnsupported !== undefined && { drop_unsupported: options.dropUnsupported }),
      ...(options.templateKwargs !== undefined && { chat_template_kwargs: options.templateKwargs }),
    });
  return {
    async chat(request, call = {}) {
      return (await answerWhole(chatCompletions, toChatWireRequest(request), completion, { ...fixed, ...call })).whole;
    },
    stream: (request, call = {}) => objectsOf(chatCompletions, toChatWireRequest(request), call),
    async complete(request, call = {}) {
      return (await answerWhole(textCompletions, textCompletions.read(request), completion, { ...fixed, ...call }))
        .whole;
    },
    streamText: (request, call = {}) => objectsOf(textCompletions, textCompletions.read(request), call),
    countTokens: (request, signal) => completion.countTokens(toChatPrompt(request), signal),
    renderChat: (messages, options = {}) =>
      completion.renderChat(promptOf(messages, options), options.addGenerationPrompt === true, options.signal),
    encodeChat: (messages, options = {}) =>
      completion.encodeChat(promptOf(messages, options), options.addGenerationPrompt === true, options.signal),
  };
}
