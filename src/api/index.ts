// Everything on a wire, as schemas with their types. No I/O and no token ids in here.
export { AssistantMessage, ChatCompletion, FinishReason, Usage } from './chat-response.js';
export { ChoiceLogprobs, TokenLogprob } from './chat-logprobs.js';
export { ChatCompletionChunk, ChunkDelta, ToolCallDelta } from './chat-chunk.js';
export { ChatMessage, ChatRole, ContentPart, SentToolCall, ToolCall } from './chat-message.js';
export { ChatCompletionRequest, Tool } from './chat-request.js';
export { ErrorBody } from './error-body.js';
export { apiCodes } from './errors.js';
export { MAX_DEPTH, MAX_MESSAGES, MAX_STOPS, MAX_STOP_LENGTH, MAX_TOOLS, MAX_TOOL_NAME } from './limits.js';
export { readThinking, type ThinkingChoice } from './thinking-fields.js';
export { parseChatCompletionRequest } from './parse-chat-request.js';
