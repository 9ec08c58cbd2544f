// Everything on a wire, as schemas with their types. No I/O and no token ids in here.
export { AssistantMessage, ChatCompletion, FinishReason, Usage } from './chat/chat-response.js';
export { ChoiceLogprobs, TokenLogprob } from './chat/chat-logprobs.js';
export { ChatCompletionChunk, ChunkDelta, ToolCallDelta } from './chat/chat-chunk.js';
export { ChatMessage, ChatRole, ContentPart, SentToolCall, ToolCall } from './chat/chat-message.js';
export { chatRequestFields, Tool } from './chat/chat-request.js';
export { checkDimensions, EmbeddingList, EmbeddingsRequest } from './embeddings.js';
export { ErrorBody, toErrorBody } from './error-body.js';
export { toHttpAnswer, toHttpHeaders, type HttpAnswer } from './http-answers.js';
export { apiCodes } from './errors.js';
export {
  DEFAULT_COMPLETION_TOKENS,
  MAX_DEPTH,
  MAX_MESSAGES,
  MAX_TEMPLATE_KWARGS,
  MAX_STOPS,
  MAX_STOP_LENGTH,
  MAX_TOOLS,
  MAX_TOOL_NAME,
} from './limits.js';
export { ModelEntry, ModelList } from './models.js';
export { readJsonSources, withJsonSources, type JsonSources } from './body/json-sources.js';
export { parseJsonBody } from './body/parse-body.js';
export { readFields } from './fields/request-fields.js';
export { toRequestError } from './body/schema-error.js';
export { ENGINE_NAME, ServerHealth, ServerReady, ServerVersion } from './server-status.js';
export { textRequestFields, TextPrompt } from './text/text-completion-request.js';
export { TextCompletion, TextCompletionChunk, TextLogprobs } from './text/text-completion-response.js';
export { type Effort, type ThinkingFields } from './fields/thinking-fields.js';
export { type FormatFields, type ResponseFormat } from './fields/format-fields.js';
export { createRequestParser } from './body/request-parser.js';
