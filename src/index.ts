/**
 * The embedding API: an engine loads models, a model answers. Everything is `AsyncDisposable`; an `AbortSignal` ends any
 * call; every error has a string `code`. Two engines live in one process without knowing of each other.
 */

export {
  createEngine,
  type CallOptions,
  type ChatOptions,
  type Embeddings,
  type EmbedInput,
  type EmbedOptions,
  type Engine,
  type EngineOptions,
  type GenerateOptions,
  type LoadOptions,
  type Model,
  type PooledModel,
  type RenderOptions,
} from './embedding/index.js';
export type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest, ChatMessage, Tool } from './api/index.js';
export type { LoadProgress } from './artifact/index.js';
export { AppError } from './base/index.js';
export type { EngineStats, FinishReason, SequenceOutput, TokenLogprobs } from './engine/index.js';
export type { ConstraintSpec } from './grammar/index.js';
export type { Tokenizer } from './tokenizer/index.js';
