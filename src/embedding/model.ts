import {
  parseChatCompletionRequest,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatCompletionRequest,
  type ChatMessage,
  type Tool,
} from '../api/index.js';
import {
  abortableStream,
  type CompletionCallOptions,
  type Embed,
  type ModelLease,
  type OpenModel,
} from '../completion/index.js';
import type { EngineStats, SequenceOutput } from '../engine/index.js';
import type { Tokenizer } from '../tokenizer/index.js';
import { checkSignal, toIds } from './check-arguments.js';
import { toGenerateRequest, type GenerateOptions } from './generate-options.js';

/** Ends a call: it rejects with `signal.reason`. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** How a chat call is cancelled, and where its sequences stand among others: who asks, how urgently, until when. */
export type ChatOptions = CompletionCallOptions;

/** How `renderChat` renders. */
export interface RenderOptions {
  readonly tools?: readonly Tool[];
  /** End with the opening of the assistant's turn. Default false. */
  readonly addGenerationPrompt?: boolean;
  /** Absent: the template's own default. */
  readonly enableThinking?: boolean;
  /** Render what the model's template makes no use of as if it were not there. Default false: it is refused. */
  readonly dropUnsupported?: boolean;
}

/**
 * A model that was loaded. Each call holds it; between calls it may make room for another, and the next call loads it again.
 * Every call rejects with `models_busy` when there is no room for that, and with the codes of the load.
 */
export interface Model extends AsyncDisposable {
  readonly id: string;
  /** Tokens of prompt and completion together. */
  readonly contextLength: number;
  readonly vocabSize: number;
  /** What the model's makers recommend (generation_config.json); only the command line applies it. */
  readonly generation: {
    readonly temperature?: number;
    readonly topP?: number;
    readonly topK?: number;
    readonly minP?: number;
  };
  /** The kernel variant and the compute threads it runs on. */
  readonly kernel: string;
  /** What of the kernels is slower here than it could be, and why, in a sentence each; empty when nothing is. */
  readonly kernelNotes: readonly string[];
  readonly threads: number;
  /** Stays, also while the model makes room. */
  readonly tokenizer: Pick<Tokenizer, 'encode' | 'decode' | 'tokenBytes'>;
  /** Answers a chat-completions request. Errors: those of the wire, `context_length_exceeded`, the engine's. */
  chat(request: ChatCompletionRequest, options?: ChatOptions): Promise<ChatCompletion>;
  /** The same, as the wire's chunks. Leaving the iteration ends its sequences. */
  stream(request: ChatCompletionRequest, options?: ChatOptions): AsyncIterable<ChatCompletionChunk>;
  /** Continues token ids. The stop id that ends it is not given out. */
  generate(request: GenerateOptions, options?: CallOptions): AsyncIterable<number>;
  /** The same with everything that the engine tells: tokens as they come together, their logprobs, why it ended. */
  generateOutputs(request: GenerateOptions, options?: CallOptions): AsyncIterable<SequenceOutput>;
  /** Texts or token ids as vectors: the mean hidden state of each, at length 1. Beside other work, and never in its way. */
  readonly embed: Embed;
  /** Logits of every token, f32 [numTokens, vocabSize]. */
  forward(tokenIds: ArrayLike<number>, options?: CallOptions): Promise<Float32Array>;
  /** The prompt text that `chat` would be given. */
  renderChat(messages: readonly ChatMessage[], options?: RenderOptions & CallOptions): Promise<string>;
  /**
   * What its engine does now: sequences, cache blocks, tokens a second, step time, guesses and how many were right.
   * Undefined while the model is not in memory: looking neither loads it nor keeps it there.
   */
  stats(): Promise<EngineStats | undefined>;
}

/** What a model's public face is made with. */
export interface ModelSource {
  /** The model as it was first loaded: what never changes is read from it. */
  readonly first: OpenModel;
  readonly kernel: string;
  readonly kernelNotes: readonly string[];
  readonly threads: number;
  /** Holds the model for a call. */
  readonly acquire: (signal: AbortSignal | undefined) => Promise<ModelLease<OpenModel>>;
  /** The model if it is in memory and answers. Errors: `engine_closed`. */
  readonly peek: () => OpenModel | undefined;
  /** Called when the face is disposed of. */
  readonly close: () => Promise<void>;
}

/** The public face of a model. */
export function createModel({ first, kernel, kernelNotes, threads, peek, close, ...source }: ModelSource): Model {
  const acquire = async (signal: AbortSignal | undefined): Promise<ModelLease<OpenModel>> => {
    checkSignal(signal);
    return source.acquire(signal);
  };
  const { id, contextLength, vocabSize, generation } = first;
  const stream = async function* (
    request: ChatCompletionRequest,
    options: ChatOptions,
  ): AsyncGenerator<ChatCompletionChunk, void> {
    using lease = await acquire(options.signal);
    yield* lease.model.completion.stream(request, options);
  };
  const generateOutputs: Model['generateOutputs'] = async function* (request, { signal } = {}) {
    const checked = toGenerateRequest(request, generation.stopTokenIds);
    using lease = await acquire(signal);
    yield* lease.model.generate(checked, signal);
  };
  return {
    id,
    contextLength,
    vocabSize,
    generation,
    kernel,
    kernelNotes,
    threads,
    get tokenizer() {
      return first.tokenizer;
    },
    async chat(request, options = {}) {
      const parsed = parseChatCompletionRequest(request);
      using lease = await acquire(options.signal);
      return await lease.model.completion.chat(parsed, options);
    },
    stream(request, options = {}) {
      try {
        const parsed = parseChatCompletionRequest(request);
        checkSignal(options.signal);
        return abortableStream((signal) => stream(parsed, { ...options, signal }), options.signal);
      } catch (error) {
        return failed(error);
      }
    },
    async *generate(request, options) {
      for await (const { tokenIds } of generateOutputs(request, options)) yield* tokenIds;
    },
    generateOutputs,
    async embed(input, options = {}) {
      using lease = await acquire(options.signal);
      return await lease.model.embed(input, options);
    },
    async forward(tokenIds, { signal } = {}) {
      const ids = toIds('tokenIds', tokenIds);
      using lease = await acquire(signal);
      return await lease.model.client.forward(ids, signal);
    },
    async renderChat(messages, { tools, addGenerationPrompt, enableThinking, dropUnsupported, signal } = {}) {
      const request = parseChatCompletionRequest({ messages, ...(tools !== undefined && { tools }) });
      const options = { tools: request.tools, addGenerationPrompt, enableThinking, dropUnsupported, signal };
      using lease = await acquire(signal);
      return await lease.model.completion.renderChat(request.messages, options);
    },
    async stats() {
      const model = peek();
      return model?.client.stats().catch((error: unknown) => {
        // It went while it was asked.
        if (peek() !== model) return undefined;
        throw error;
      });
    },
    [Symbol.asyncDispose]: close,
  };
}

/** A stream whose first step rejects, so that every error of a stream is met in the same place. */
async function* failed(error: unknown): AsyncGenerator<never> {
  throw error;
}
