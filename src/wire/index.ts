// The dialects that clients speak: their bodies become requests, and events become their bodies.
export { answerStream, answerWhole, type AnswerOptions, type StreamOptions } from './answer.js';
export { doneFraming, type AnswerHead, type Framing, type WireDialect, type WireRequest } from './dialect.js';
export { toChatPrompt } from './dialects/chat-completions.js';
export { dialects } from './dialects/index.js';
export { toUsage } from './usage.js';
