import { dialectRoute } from '../../dialect-route.js';

/** `POST /api/chat`: an answer to a conversation, in Ollama's form. */
export const chat = dialectRoute({
  path: '/api/chat',
  summary: 'Answers a conversation, as Ollama does.',
  operation: 'chat',
  dialect: 'ollamaChat',
});
