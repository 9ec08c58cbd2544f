/**
 * The embedding API: an engine loads models, a model answers. Everything is `AsyncDisposable`; an `AbortSignal` ends any
 * call; every error has a string `code`. Two engines live in one process without knowing of each other.
 */

export {
  createEngine,
  defineTool,
  type AssistantMessage,
  type CallOptions,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatCompletionRequest,
  type ChatMessage,
  type ChatOptions,
  type ContentPart,
  type Embeddings,
  type EmbedInput,
  type EmbedOptions,
  type Engine,
  type GenerateOptions,
  type JsonOptions,
  type JsonRequest,
  type JsonSchema,
  type LoadOptions,
  type Model,
  type ModelSignature,
  type RenderOptions,
  type ResponseFormat,
  type RunnableTool,
  type RunToolsOptions,
  type RunToolsRequest,
  type RunToolsResult,
  type SchemaOutput,
  type StandardSchema,
  type Tool,
  type ToolCall,
  type ToolCallContext,
  type ToolCallEvent,
  type ToolChoice,
  type ToolResultEvent,
  type ToolRound,
  type Usage,
} from './embedding/index.js';
export { type AvailableModel, type EngineOptions, type PooledModel } from './models/index.js';
export type { LoadProgress } from './artifact/index.js';
export { AppError, fromErrorData, isAppError, toErrorData, type ErrorData } from './base/index.js';
export type { EngineStats, FinishReason, SequenceOutput, TokenLogprobs } from './engine/index.js';
export type { ConstraintSpec } from './grammar/index.js';
export type { Tokenizer } from './tokenizer/index.js';
