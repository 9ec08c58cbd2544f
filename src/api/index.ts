// Every wire format, as schemas with their types. No I/O and no token ids.
export { AssistantMessage, ChatCompletion, FinishReason, Usage } from './chat/chat-response.js';
export { ChoiceLogprobs, TokenLogprob } from './chat/chat-logprobs.js';
export { ChatCompletionChunk, ChunkDelta, ToolCallDelta } from './chat/chat-chunk.js';
export { ChatMessage, ChatRole, ContentPart, SentToolCall, CustomToolCall, ToolCall } from './chat/chat-message.js';
export { chatRequestFields, Tool } from './chat/chat-request.js';
export { checkDimensions, EmbeddingList, EmbeddingsRequest } from './embeddings.js';
export { ErrorBody, toErrorBody } from './error-body.js';
export { toHttpAnswer, toHttpHeaders, type HttpAnswer } from './http-answers.js';
export { apiCodes } from './errors.js';
export {
  DEFAULT_COMPLETION_TOKENS,
  MAX_BODY_NODES,
  MAX_BODY_VALUES,
  MAX_CHOICE_TEXT,
  MAX_CHOICE_TEXTS,
  MAX_CHOICES,
  MAX_REQUEST_DEPTH,
  MAX_EMBED_INPUTS,
  MAX_GRAMMAR_TEXT,
  MAX_MESSAGES,
  MAX_TEMPLATE_KWARGS,
  MAX_STOPS,
  MAX_STOP_LENGTH,
  MAX_TOOLS,
  MAX_TOOL_CALLS,
  MAX_TOOL_NAME,
  MAX_TOP_LOGPROBS,
} from './limits.js';
export { CacheSalt } from './fields/cache-salt.js';
export { StopString } from './fields/limit-fields.js';
export { samplingFields } from './fields/sampling-fields.js';
export {
  MessageAnswer,
  MessagesEvent,
  type ContentBlock,
  type MessagesDeltaUsage,
  type MessagesUsage,
  type StopReason,
} from './messages/messages-answer.js';
export {
  MessagesCount,
  MessagesCountRequest,
  messagesRequestFields,
  type ContentBlockParam,
  type MessageParam,
  type MessagesTool,
  type TextBlockParam,
} from './messages/messages-request.js';
export { MessagesErrorBody, messagesErrorType, toMessagesErrorBody } from './messages/messages-error.js';
export { shownKeyFields } from './keys.js';
export { ModelEntry, ModelList } from './models.js';
export { readJsonSources, withJsonSources, type JsonSources } from './body/json-sources.js';
export { parseJsonBody } from './body/parse-body.js';
export { readRequestFields } from './fields/request-fields.js';
export { toRequestError } from './body/schema-error.js';
export { ENGINE_NAME, ServerHealth, ServerReady, ServerVersion } from './server-status.js';
export {
  OllamaChatRequest,
  OllamaGenerateRequest,
  OllamaMessage,
  type OllamaCommonRequest,
} from './ollama/ollama-requests.js';
export {
  OllamaChatAnswer,
  OllamaError,
  OllamaGenerateAnswer,
  OllamaToolCall,
  type OllamaDoneReason,
  type OllamaMetrics,
} from './ollama/ollama-answers.js';
export {
  OllamaEmbedding,
  OllamaEmbeddingRequest,
  OllamaEmbeddings,
  OllamaEmbedRequest,
} from './ollama/ollama-embed.js';
export {
  OllamaLoaded,
  OllamaShown,
  OllamaCopyRequest,
  OllamaDeleteRequest,
  OllamaPullLine,
  OllamaPullRequest,
  OllamaShowRequest,
  OllamaTags,
  type OllamaDetails,
} from './ollama/ollama-models.js';
export { textRequestFields, TextPrompt } from './text/text-completion-request.js';
export { TrafficPoint, TrafficSeries, TrafficStep, TrafficTotals } from './traffic.js';
export { TextCompletion, TextCompletionChunk, TextLogprobs } from './text/text-completion-response.js';
export { type Effort, type ThinkingFields } from './fields/thinking-fields.js';
export { type FormatFields, type ResponseFormat } from './fields/format-fields.js';
export { toBoolean } from './body/text-booleans.js';
export { createFieldsCheck, createRequestParser } from './body/request-parser.js';
export {
  CustomCallItem,
  FunctionCallItem,
  MessageItem,
  OutputItem,
  OutputText,
  ReasoningItem,
  ReasoningText,
  ResponseObject,
  ResponsesUsage,
  SummaryText,
  type ItemStatus,
  type ResponsesEcho,
} from './responses/responses-answer.js';
export { ResponsesErrorEvent, ResponsesEvent } from './responses/responses-events.js';
export { InputItem, ItemPart } from './responses/responses-input.js';
export {
  responsesRequestFields,
  ResponsesTool,
  TextFormat,
  type ReasoningSummary,
} from './responses/responses-request.js';
