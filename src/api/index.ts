// Everything on a wire, as schemas with their types. No I/O and no token ids in here.
export { AssistantMessage, ChatCompletion, FinishReason, Usage } from './chat/chat-response.js';
export { ChoiceLogprobs, TokenLogprob } from './chat/chat-logprobs.js';
export { ChatCompletionChunk, ChunkDelta, ToolCallDelta } from './chat/chat-chunk.js';
export { ChatMessage, ChatRole, ContentPart, SentToolCall, ToolCall } from './chat/chat-message.js';
export { ChatCompletionRequest, Tool } from './chat/chat-request.js';
export { checkDimensions, EmbeddingList, EmbeddingsRequest, parseEmbeddingsRequest } from './embeddings.js';
export { ErrorBody, toErrorBody } from './error-body.js';
export { httpAnswers, toHttpAnswer, toHttpHeaders, type HttpAnswer } from './http-answers.js';
export { apiCodes } from './errors.js';
export {
  DEFAULT_COMPLETION_TOKENS,
  MAX_DEPTH,
  MAX_MESSAGES,
  MAX_STOPS,
  MAX_STOP_LENGTH,
  MAX_TOOLS,
  MAX_TOOL_NAME,
} from './limits.js';
export { ModelEntry, ModelList } from './models.js';
export { parseChatBody, readJsonSources, withJsonSources, type JsonSources } from './body/json-sources.js';
export { parseJsonBody } from './body/parse-body.js';
export { parseTextCompletionRequest } from './text/parse-text-completion-request.js';
export { type SamplingFields } from './fields/sampling-fields.js';
export { readSeed } from './fields/seed.js';
export { ServerHealth, ServerReady, ServerVersion } from './server-status.js';
export { TextCompletionRequest, TextPrompt } from './text/text-completion-request.js';
export { TextCompletion, TextCompletionChunk, TextLogprobs } from './text/text-completion-response.js';
export { readThinking, thinkingField, type ThinkingChoice, type ThinkingFields } from './fields/thinking-fields.js';
export { parseChatCompletionRequest } from './chat/parse-chat-request.js';
export { parseStrictChatRequest } from './chat/parse-strict-chat-request.js';
