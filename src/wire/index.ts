// The dialects that clients speak: their bodies become requests, and events become their bodies.
export {
  answerReleased,
  answerStream,
  answerWhole,
  type WrittenEvent,
  type AnswerStream,
  type AnswerStreamOptions,
  type WireAnswerOptions,
} from './answer.js';
export { AnswerTimer } from './answer-timer.js';
export {
  doneFraming,
  namedFraming,
  type AnswerHead,
  type EventWriter,
  type Framing,
  type MisspeltField,
  type WireDialect,
  type WireRequest,
} from './dialect.js';
export { toChatPrompt, toChatWireRequest } from './dialects/chat-completions.js';
export { dialects } from './dialects/index.js';
export { toGrpcPrompt } from './dialects/grpc-chat.js';
export { grpcFinishReasons, toGrpcUsage } from './grpc/grpc-answers.js';
export { parseGrpcChatRequest } from './grpc/parse-grpc-request.js';
export { parseGrpcEmbedRequest, parseGrpcGenerateRequest } from './grpc/parse-token-requests.js';
export { toMessagesPrompt } from './messages/message-prompt.js';
export { parseMessagesCountRequest } from './messages/parse-messages-request.js';
export type { SamplerFields } from './sampler-fields.js';
export { toUsage } from './usage.js';
/** A request of a program in the same process, as strict as its author can bear. */
export { parseStrictChatRequest } from './parsing/parse-strict-chat-request.js';
export { toRfc3339 } from './ollama/answer-fields.js';
export { findMisspelt } from './parsing/misspelt-fields.js';
export { readKeepAlive } from './ollama/keep-alive.js';
