// Writers of answers in APIs with two sources of answers here: the engine, and translated answers of other servers.
// Events become the objects of Messages and of Responses. No clock, no ids of their own, no socket.
export type { AnswerEvent, AnswerNames, AnswerPiece, AnswerStop, AnswerTokens } from './answer-events.js';
export { toExactArguments, toExactJson } from './exact-arguments.js';
export { MessageWriter } from './messages/message-writer.js';
export { readCustomText, toCustomArguments, toCustomFunction, type CustomToolField } from './responses/custom-tool.js';
export { ResponseWriter, toErrorEvent, type ToldError } from './responses/response-writer.js';
export {
  readSummary,
  toEcho,
  type CallForm,
  type EchoedFields,
  type ResponsesAsked,
} from './responses/responses-echo.js';
export { unsealReasoning } from './responses/sealed-reasoning.js';
export { toTextLogprobs, toTokenLogprobs } from './token-logprobs.js';
