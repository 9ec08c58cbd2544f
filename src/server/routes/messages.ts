import { dialectRoute } from '../dialect-route.js';
import { toMessagesHeaders } from '../messages-errors.js';

/** `POST /v1/messages`: an answer to a conversation, in Anthropic's API. */
export const messages = dialectRoute({
  path: '/v1/messages',
  summary: "Answers a conversation in Anthropic's Messages API.",
  operation: 'chat',
  dialect: 'messages',
  headersOf: toMessagesHeaders,
});
