// Everything on a wire, as schemas with their types. No I/O and no token ids in here.
export { AssistantMessage, ChatCompletion, FinishReason, Usage } from './chat-response.js';
export { ChoiceLogprobs, TokenLogprob } from './chat-logprobs.js';
export { ChatCompletionChunk, ChunkDelta, ToolCallDelta } from './chat-chunk.js';
export { ChatMessage, ChatRole, ContentPart, SentToolCall, ToolCall } from './chat-message.js';
export { ChatCompletionRequest, Tool } from './chat-request.js';
export { checkDimensions, EmbeddingList, EmbeddingsRequest } from './embeddings.js';
export { ErrorBody, toErrorBody } from './error-body.js';
export { toHttpAnswer, toHttpHeaders, type HttpAnswer } from './http-answers.js';
export { apiCodes } from './errors.js';
export {
  DEFAULT_COMPLETION_TOKENS,
  MAX_DEPTH,
  MAX_MODEL_ID,
  MAX_MESSAGES,
  MAX_STOPS,
  MAX_STOP_LENGTH,
  MAX_TOOLS,
  MAX_TOOL_NAME,
} from './limits.js';
export { ModelEntry, ModelList } from './models.js';
export { readJsonSources, withJsonSources, type JsonSources } from './json-sources.js';
export { parseJsonBody } from './parse-body.js';
export { parseTextCompletionRequest } from './parse-text-completion-request.js';
export { type SamplingFields } from './sampling-fields.js';
export { readSeed } from './seed.js';
export { ServerHealth, ServerReady, ServerVersion } from './server-status.js';
export { TextCompletionRequest, TextPrompt } from './text-completion-request.js';
export { TextCompletion, TextCompletionChunk, TextLogprobs } from './text-completion-response.js';
export { readThinking, thinkingField, type ThinkingChoice, type ThinkingFields } from './thinking-fields.js';
export { parseChatCompletionRequest } from './parse-chat-request.js';
export { createRequestParser } from './request-parser.js';
export { parseStrictChatRequest } from './parse-strict-chat-request.js';
