import {
  parseChatCompletionRequest,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatCompletionRequest,
  type ChatMessage,
  type Tool,
} from '../api/index.js';
import type { CompletionCallOptions, Embed, OpenModel } from '../completion/index.js';
import type { SequenceOutput } from '../engine/index.js';
import type { Tokenizer } from '../tokenizer/index.js';
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
}

/** A loaded model. */
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
  readonly threads: number;
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
}

/** The public face of `opened`. `forget` is called when it is disposed of. */
export function createModel(opened: OpenModel, kernel: string, threads: number, forget: () => void): Model {
  const { id, contextLength, vocabSize, client, generation } = opened;
  const generateOutputs: Model['generateOutputs'] = async function* (request, { signal } = {}) {
    yield* client.generate(toGenerateRequest(request, generation.stopTokenIds), signal);
  };
  return {
    id,
    contextLength,
    vocabSize,
    generation,
    kernel,
    threads,
    get tokenizer() {
      return opened.tokenizer;
    },
    async chat(request, options = {}) {
      return opened.completion.chat(parseChatCompletionRequest(request), options);
    },
    stream(request, options = {}) {
      try {
        return opened.completion.stream(parseChatCompletionRequest(request), options);
      } catch (error) {
        return failed(error);
      }
    },
    async *generate(request, options) {
      for await (const { tokenIds } of generateOutputs(request, options)) yield* tokenIds;
    },
    generateOutputs,
    embed: opened.embed,
    forward: async (tokenIds, { signal } = {}) => client.forward(Array.from(tokenIds), signal),
    async renderChat(messages, { tools, addGenerationPrompt, enableThinking, signal } = {}) {
      const request = parseChatCompletionRequest({ messages, ...(tools !== undefined && { tools }) });
      const options = { tools: request.tools, addGenerationPrompt, enableThinking, signal };
      return opened.completion.renderChat(request.messages, options);
    },
    async [Symbol.asyncDispose]() {
      forget();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** A stream whose first step rejects, so that every error of a stream is met in the same place. */
async function* failed(error: unknown): AsyncGenerator<never> {
  throw error;
}
