import { dialectRoute } from '../dialect-route.js';

/** `POST /v1/chat/completions`: an answer to a conversation. */
export const chatCompletions = dialectRoute({
  path: '/v1/chat/completions',
  summary: 'Answers a conversation.',
  operation: 'chat',
  dialect: 'chatCompletions',
});
