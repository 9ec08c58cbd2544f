// Requests of Messages and Responses as chat completions, and their answers back. Pure functions over parsed JSON: no bytes, no
// sockets, no clock, no model's name.
export { brokeOff, ChatAnswerReader } from './answers/chat-answer-reader.js';
export { createTranslatedAnswer, toEventText, type TranslatedAnswer } from './answers/translated-answer.js';
export { readFault, unreadFault, type UpstreamFault } from './answers/upstream-fault.js';
export { toChatJson } from './requests/chat-body.js';
export { SOURCES, type TranslatedRequest } from './requests/translated-request.js';
export { toChatRequest, type TranslatedApi } from './requests/to-chat-request.js';
