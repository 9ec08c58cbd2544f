import { dialectRoute } from '../../dialect-route.js';

/** `POST /api/generate`: an answer to a prompt, or a raw prompt continued, as Ollama does it. */
export const generate = dialectRoute({
  path: '/api/generate',
  summary: 'Answers a prompt, as Ollama does.',
  operation: 'text_completion',
  dialect: 'ollamaGenerate',
});
