// The exports for a program that embeds the engine. This module opens no sockets and prints nothing.
export { createEngine, type Engine, type LoadOptions } from './engine.js';
export type { AvailableModel, Embeddings, EmbedInput, EngineOptions, PooledModel } from '../models/index.js';
export type { GenerateOptions } from './generate-options.js';
export type { Model, ModelSignature } from './model.js';
export type { CallOptions, ChatOptions, EmbedOptions, RenderOptions } from './call-options.js';
export type { AssistantMessage, ChatCompletion, ChatCompletionChunk, ToolCall, Usage } from './chat-answers.js';
export type { FormatFields, JsonSchema, ResponseFormat } from './chat-formats.js';
export type { ChatMessage, ContentPart } from './chat-messages.js';
export type { ChatCompletionRequest } from './chat-request.js';
export type { Tool, ToolChoice } from './chat-tools.js';
export { embeddingCodes } from './errors.js';
export type { JsonOptions, JsonRequest } from './json-answer.js';
export type {
  RunToolsOptions,
  RunToolsRequest,
  RunToolsResult,
  ToolCallEvent,
  ToolResultEvent,
  ToolRound,
} from './run-tools-request.js';
export { defineTool, type RunnableTool, type ToolCallContext } from './runnable-tool.js';
export type { SchemaOutput, StandardSchema } from './schema-output.js';
