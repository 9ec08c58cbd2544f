import { abortableStream, checkOptions, type Checked } from '../base/index.js';
import type { EngineStats, SequenceOutput } from '../engine/index.js';
import {
  holdCompletion,
  type EmbedInput,
  type Embeddings,
  type HeldCompletion,
  type ModelLease,
  type OpenModel,
  type Tokenizer,
} from '../models/index.js';
import {
  answerStream,
  answerWhole,
  dialects,
  parseStrictChatRequest,
  toChatPrompt,
  toChatWireRequest,
  toUsage,
} from '../wire/index.js';
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
 * A loaded model. Each call holds it in memory. Between calls it may be evicted for another model, and the next call
 * loads it again. Every call may reject with the codes of the load, and with `models_busy` if memory is short.
 */
export interface Model extends AsyncDisposable {
  /** The model's name in answers. */
  readonly id: string;
  /** Tokens of prompt and completion together. */
  readonly contextLength: number;
  /**
   * One line on why the context is shorter than the model declares: the KV cache would take too much memory. Undefined
   * if it is not shorter, or if `maxContext` chose it.
   */
  readonly contextNote: string | undefined;
  /** One line on the block types of its GGUF file that are stored as q8; undefined if all types are kept. */
  readonly importNote: string | undefined;
  /** One line on why each load repacks the weights: the artifact was packed for another kind of device. */
  readonly layoutNote: string | undefined;
  /** The signature at the first load. */
  readonly signature: ModelSignature;
  /** The number of logits per token; token ids are smaller. */
  readonly vocabSize: number;
  /** The sampling that the model's makers recommend. It applies to values that a request leaves out. */
  readonly generation: {
    /** `temperature` of a request. */
    readonly temperature?: number;
    /** `top_p` of a request. */
    readonly topP?: number;
    /** `top_k` of a request. */
    readonly topK?: number;
    /** `min_p` of a request. */
    readonly minP?: number;
  };
  /** Whether it can chat: it has or received a chat template. A base model has none and only continues text. */
  readonly hasTemplate: boolean;
  /** The kernel variant that it uses. */
  readonly kernel: string;
  /**
   * One sentence for each kernel that runs slower than possible on this machine, with the reason; empty if there is
   * none.
   */
  readonly kernelNotes: readonly string[];
  /** The number of compute threads that it uses. */
  readonly threads: number;
  /** Stays usable while the model is evicted. */
  readonly tokenizer: Pick<Tokenizer, 'encode' | 'decode' | 'tokenBytes' | 'createDetokenizer'>;
  /** Answers a chat-completions request. Errors: those of the request, `context_length_exceeded`, the engine's. */
  chat(request: ChatCompletionRequest, options?: ChatOptions): Promise<ChatCompletion>;
  /** Answers in chunks. Leaving the iteration ends its sequences. */
  stream(request: ChatCompletionRequest, options?: ChatOptions): AsyncIterable<ChatCompletionChunk>;
  /**
   * Answers messages or a request with a value of a schema. The schema constrains generation; its library then judges
   * the parsed answer and applies its transforms. Errors: those of `chat`; `unsupported_schema` and others of schemas;
   * `answer_incomplete`, `answer_invalid`.
   */
  json<Schema extends object>(
    schema: Schema,
    request: readonly ChatMessage[] | JsonRequest,
    options?: JsonOptions,
  ): Promise<SchemaOutput<Schema>>;
  /**
   * Lets the model call tools. The calls of each answer run concurrently, and the model answers again with their
   * results, until an answer calls no tool. Calls are held to the tools' schemas. Errors: those of `chat` and of the
   * tools; `unsupported_schema`, `tool_limit_exceeded`, `tool_arguments_invalid`, `tool_result_invalid`,
   * `tool_unknown`.
   */
  runTools<const Schemas extends readonly object[]>(
    request: RunToolsRequest<Schemas>,
    options?: RunToolsOptions,
  ): Promise<RunToolsResult>;
  /** Continues token ids. It does not yield the stop id that ends it. */
  generate(request: GenerateOptions, options?: CallOptions): AsyncIterable<number>;
  /** As `generate`, with the engine's full output: tokens in batches, their logprobs, and the reason of the end. */
  generateOutputs(request: GenerateOptions, options?: CallOptions): AsyncIterable<SequenceOutput>;
  /** Embeds texts or token ids: the mean hidden state of each, scaled to length 1. It never delays other work. */
  embed(input: EmbedInput, options?: EmbedOptions): Promise<Embeddings>;
  /** Computes the logits of every token, f32 [numTokens, vocabSize]. */
  forward(tokenIds: ArrayLike<number>, options?: CallOptions): Promise<Float32Array>;
  /** Renders the prompt text that `chat` would use. */
  renderChat(messages: readonly ChatMessage[], options?: RenderOptions): Promise<string>;
  /**
   * Counts the tokens of a chat prompt with tools and template: an answer would report the same `usage.prompt_tokens`.
   * The count may exceed the context. Errors: those of `chat` before generation, except for the length.
   */
  countTokens(input: readonly ChatMessage[] | ChatCompletionRequest, options?: CallOptions): Promise<number>;
  /**
   * The engine's current figures: sequences, cache blocks, tokens a second, step time, draft tokens and accepted ones.
   * Undefined while the model is not in memory. Reading them neither loads the model nor keeps it in memory.
   */
  stats(): Promise<EngineStats | undefined>;
  /** Releases the model, as `await using` does at the end of its block. Later calls reject with `engine_closed`. */
  close(): Promise<void>;
}

/** The signature of a model. */
export interface ModelSignature {
  /** `trusted`: at least one of `trustedKeys` signed it; `unknown`: only other keys did; `unsigned`: no signature. */
  readonly state: 'unsigned' | 'trusted' | 'unknown';
  /** The trusted keys that signed it, 64 hexadecimal digits each; if none is trusted, all keys. */
  readonly keys: readonly string[];
  /** Each signing of changed content raises it; undefined without a signature. */
  readonly revision: number | undefined;
}

function toModelSignature(signature: OpenModel['signature']): ModelSignature {
  if (signature.state === 'unsigned') return { state: 'unsigned', keys: [], revision: undefined };
  const { state, keys, revision } = signature;
  return { state, keys, revision };
}

type CheckedRequest = ReturnType<typeof parseStrictChatRequest>;

/** Inputs of `createModel`. */
export interface ModelBasis {
  /** The model from its first load, the source of its constant properties. */
  readonly first: OpenModel;
  readonly kernel: string;
  readonly kernelNotes: readonly string[];
  readonly threads: number;
  /** Holds the model for a call. */
  readonly acquire: (signal: AbortSignal | undefined) => Promise<ModelLease<OpenModel>>;
  /** The model if it is in memory and answers. Errors: `engine_closed`. */
  readonly peek: () => OpenModel | undefined;
  /** Called when the `Model` is disposed of. */
  readonly close: () => Promise<void>;
}

/** Creates the public `Model` object. */
export function createModel({ first, kernel, kernelNotes, threads, acquire, peek, close }: ModelBasis): Model {
  const { id, contextLength, contextNote, importNote, layoutNote, vocabSize, generation, hasTemplate } = first;
  const dialect = dialects.chatCompletions;
  const streamChecked = async function* (
    request: CheckedRequest,
    { onUsage, ...call }: Checked<ChatOptions>,
    signal: AbortSignal,
  ): AsyncGenerator<ChatCompletionChunk, void> {
    const open = async (): Promise<HeldCompletion> => holdCompletion(await acquire(signal));
    const { events } = answerStream(dialect, toChatWireRequest(request), { ...call, signal, open });
    for await (const { event, objects } of events) {
      if (event.type === 'end') onUsage?.(toUsage(event.usage));
      for (const chunk of objects) yield chunk;
    }
  };
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
    return (await answerWhole(dialect, toChatWireRequest(parsed), held.completion, checked)).whole;
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
    layoutNote,
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
        // The model was unloaded during the request.
        if (peek() !== model) return undefined;
        throw error;
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A stream whose first step rejects. Every error of a stream then arrives in the same place. */
async function* failed(error: unknown): AsyncGenerator<never> {
  throw error;
}
