import { dialectRoute } from '../dialect-route.js';

/** `POST /v1/responses`: an answer to a conversation, in OpenAI's newer API. Nothing is stored. */
export const responses = dialectRoute({
  path: '/v1/responses',
  summary: "Answers a conversation in OpenAI's Responses API; nothing is stored.",
  operation: 'chat',
  dialect: 'responses',
});
