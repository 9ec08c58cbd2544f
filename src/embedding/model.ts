import { abortableStream, checkOptions, type Checked } from '../base/index.js';
import type { EngineStats, SequenceOutput } from '../engine/index.js';
import {
  holdCompletion,
  type EmbedInput,
  type Embeddings,
  type ModelLease,
  type OpenModel,
  type Tokenizer,
} from '../pool/index.js';
import { answerStream, answerWhole, dialects, parseStrictChatRequest, toChatPrompt, toUsage } from '../wire/index.js';
import {
  callOptions,
  chatOptions,
  embedOptions,
  renderOptions,
  type CallOptions,
  type ChatOptions,
  type EmbedOptions,
  type RenderOptions,
} from './call-options.js';
import type { ChatCompletion, ChatCompletionChunk } from './chat-answers.js';
import type { ChatMessage } from './chat-messages.js';
import type { ChatCompletionRequest } from './chat-request.js';
import { toIds } from './check-arguments.js';
import { toGenerateRequest, type GenerateOptions } from './generate-options.js';
import { answerJson, type JsonOptions, type JsonRequest } from './json-answer.js';
import type { RunToolsOptions, RunToolsRequest, RunToolsResult } from './run-tools-request.js';
import { runTools } from './run-tools.js';
import type { SchemaOutput } from './schema-output.js';

/**
 * A model that was loaded. Each call holds it; between calls it may make room for another, and the next call loads it again.
 * Every call rejects with `models_busy` when there is no room for that, and with the codes of the load.
 */
export interface Model extends AsyncDisposable {
  /** What answers call it. */
  readonly id: string;
  /** Tokens of prompt and completion together. */
  readonly contextLength: number;
  /** Why that is less than the model declares, in one line: its KV cache would take too much. Undefined when it is not, or `maxContext` chose it. */
  readonly contextNote: string | undefined;
  /** Which block types of its GGUF file are stored as q8, in one line; undefined where all are kept. */
  readonly importNote: string | undefined;
  /** Who signed what was loaded first. */
  readonly signature: ModelSignature;
  /** Logits a token has; token ids are below it. */
  readonly vocabSize: number;
  /** What the model's makers recommend (generation_config.json): it holds where a request says nothing. */
  readonly generation: {
    /** As in a request. */
    readonly temperature?: number;
    /** `top_p` of a request. */
    readonly topP?: number;
    /** `top_k` of a request. */
    readonly topK?: number;
    /** `min_p` of a request. */
    readonly minP?: number;
  };
  /** Whether it can chat: it has a chat template, or was given one. A base model has none: it only continues text. */
  readonly hasTemplate: boolean;
  /** The kernel variant that it runs on. */
  readonly kernel: string;
  /** What of the kernels is slower here than it could be, and why, in a sentence each; empty when nothing is. */
  readonly kernelNotes: readonly string[];
  /** The compute threads that it runs on. */
  readonly threads: number;
  /** Stays, also while the model makes room. */
  readonly tokenizer: Pick<Tokenizer, 'encode' | 'decode' | 'tokenBytes' | 'createDetokenizer'>;
  /** Answers a chat-completions request. Errors: those of the wire, `context_length_exceeded`, the engine's. */
  chat(request: ChatCompletionRequest, options?: ChatOptions): Promise<ChatCompletion>;
  /** The same, as the wire's chunks. Leaving the iteration ends its sequences. */
  stream(request: ChatCompletionRequest, options?: ChatOptions): AsyncIterable<ChatCompletionChunk>;
  /**
   * A value of a schema: the answer to messages or a request is held to it while it is made, parsed, and judged by the schema's
   * library, whose transforms apply. Errors: those of `chat`; `unsupported_schema` and others of schemas; `answer_incomplete`,
   * `answer_invalid`.
   */
  json<Schema extends object>(
    schema: Schema,
    request: readonly ChatMessage[] | JsonRequest,
    options?: JsonOptions,
  ): Promise<SchemaOutput<Schema>>;
  /**
   * Lets the model call tools: the calls of each answer are carried out together, and the model is asked again with their
   * results, until an answer calls none. Calls are held to the tools' schemas. Errors: those of `chat` and of the tools;
   * `unsupported_schema`, `tool_limit_exceeded`, `tool_arguments_invalid`, `tool_result_invalid`, `tool_unknown`.
   */
  runTools<const Schemas extends readonly object[]>(
    request: RunToolsRequest<Schemas>,
    options?: RunToolsOptions,
  ): Promise<RunToolsResult>;
  /** Continues token ids. The stop id that ends it is not given out. */
  generate(request: GenerateOptions, options?: CallOptions): AsyncIterable<number>;
  /** The same with everything that the engine tells: tokens as they come together, their logprobs, why it ended. */
  generateOutputs(request: GenerateOptions, options?: CallOptions): AsyncIterable<SequenceOutput>;
  /** Texts or token ids as vectors: the mean hidden state of each, at length 1. Beside other work, and never in its way. */
  embed(input: EmbedInput, options?: EmbedOptions): Promise<Embeddings>;
  /** Logits of every token, f32 [numTokens, vocabSize]. */
  forward(tokenIds: ArrayLike<number>, options?: CallOptions): Promise<Float32Array>;
  /** The prompt text that `chat` would be given. */
  renderChat(messages: readonly ChatMessage[], options?: RenderOptions): Promise<string>;
  /**
   * How many tokens the prompt of a chat would have, tools and template included: what an answer's `usage.prompt_tokens`
   * would be. It may be more than the context holds. Errors: those of `chat` before it generates, but for the length.
   */
  countTokens(input: readonly ChatMessage[] | ChatCompletionRequest, options?: CallOptions): Promise<number>;
  /**
   * What its engine does now: sequences, cache blocks, tokens a second, step time, draft tokens and how many were accepted.
   * Undefined while the model is not in memory: looking neither loads it nor keeps it there.
   */
  stats(): Promise<EngineStats | undefined>;
  /** Gives the model back, as `await using` does at the end of its block: its later calls reject with `engine_closed`. */
  close(): Promise<void>;
}

/** Who signed a model. */
export interface ModelSignature {
  /** `trusted`: by one of `trustedKeys` at least; `unknown`: by other keys only; `unsigned`: it has no signature. */
  readonly state: 'unsigned' | 'trusted' | 'unknown';
  /** The keys that signed it, 64 hexadecimal digits each: those that are trusted, or where none is, all. */
  readonly keys: readonly string[];
  /** Raised by each signing of a changed content; undefined where it is not signed. */
  readonly revision: number | undefined;
}

function toModelSignature(signature: OpenModel['signature']): ModelSignature {
  if (signature.state === 'unsigned') return { state: 'unsigned', keys: [], revision: undefined };
  const { state, keys, revision } = signature;
  return { state, keys, revision };
}

type CheckedRequest = ReturnType<typeof parseStrictChatRequest>;

/** What a model's public face is made with. */
export interface ModelBasis {
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
export function createModel({ first, kernel, kernelNotes, threads, acquire, peek, close }: ModelBasis): Model {
  const { id, contextLength, contextNote, importNote, vocabSize, generation, hasTemplate } = first;
  const dialect = dialects.chatCompletions;
  const streamChecked = (
    request: CheckedRequest,
    { onUsage, ...call }: Checked<ChatOptions>,
    signal: AbortSignal,
  ): AsyncGenerator<ChatCompletionChunk, void> =>
    answerStream(dialect, dialect.toRequest(request), {
      ...call,
      signal,
      open: async () => holdCompletion(await acquire(signal)),
      onUsage: (usage) => onUsage?.(toUsage(usage)),
    });
  const generateOutputs: Model['generateOutputs'] = async function* (request, options) {
    const checked = toGenerateRequest(request, generation);
    const { signal } = checkOptions('generate', options, callOptions);
    using lease = await acquire(signal);
    yield* lease.model.generate(checked, signal);
  };
  const chat: Model['chat'] = async (request, options) => {
    const parsed = parseStrictChatRequest(request);
    const checked = checkOptions('chat', options, chatOptions);
    using held = holdCompletion(await acquire(checked.signal));
    return (await answerWhole(dialect, dialect.toRequest(parsed), held.completion, checked)).whole;
  };
  const stream: Model['stream'] = (request, options) => {
    try {
      const parsed = parseStrictChatRequest(request);
      const checked = checkOptions('stream', options, chatOptions);
      return abortableStream((signal) => streamChecked(parsed, checked, signal), checked.signal);
    } catch (error) {
      return failed(error);
    }
  };
  return {
    id,
    contextLength,
    contextNote,
    importNote,
    signature: toModelSignature(first.signature),
    vocabSize,
    generation,
    hasTemplate,
    kernel,
    kernelNotes,
    threads,
    get tokenizer() {
      return first.tokenizer;
    },
    chat,
    stream,
    json: <Schema extends object>(
      schema: Schema,
      request: readonly ChatMessage[] | JsonRequest,
      options?: JsonOptions,
    ) => answerJson(chat, schema, request, options) as Promise<SchemaOutput<Schema>>,
    runTools: (request, options) => runTools(stream, request, options),
    async *generate(request, options) {
      for await (const { tokenIds } of generateOutputs(request, options)) yield* tokenIds;
    },
    generateOutputs,
    async embed(input, options) {
      const checked = checkOptions('embed', options, embedOptions);
      using lease = await acquire(checked.signal);
      return await lease.model.embed(input, checked);
    },
    async forward(tokenIds, options) {
      const ids = toIds('tokenIds', tokenIds);
      const { signal } = checkOptions('forward', options, callOptions);
      using lease = await acquire(signal);
      return await lease.model.client.forward(ids, signal);
    },
    async renderChat(messages, options) {
      const {
        tools,
        signal,
        addGenerationPrompt = false,
        ...rest
      } = checkOptions('renderChat', options, renderOptions);
      const request = parseStrictChatRequest({
        messages,
        tools,
        enable_thinking: rest.enableThinking,
        drop_unsupported: rest.dropUnsupported,
      });
      using held = holdCompletion(await acquire(signal));
      return await held.completion.renderChat(toChatPrompt(request), addGenerationPrompt, signal);
    },
    async countTokens(input, options) {
      const request = parseStrictChatRequest(Array.isArray(input) ? { messages: input } : input);
      const { signal } = checkOptions('countTokens', options, callOptions);
      using held = holdCompletion(await acquire(signal));
      return await held.completion.countTokens(toChatPrompt(request), signal);
    },
    async stats() {
      const model = peek();
      return model?.client.stats().catch((error: unknown) => {
        // It went while it was asked.
        if (peek() !== model) return undefined;
        throw error;
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A stream whose first step rejects, so that every error of a stream is met in the same place. */
async function* failed(error: unknown): AsyncGenerator<never> {
  throw error;
}
