import { dialectRoute } from '../dialect-route.js';

/** `POST /v1/completions`: prompts continued as they are, without a template. */
export const completions = dialectRoute({
  path: '/v1/completions',
  summary: 'Continues texts or token ids.',
  operation: 'text_completion',
  dialect: 'textCompletions',
});
