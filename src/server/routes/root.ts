import type { EngineRoute } from '../engine-route.js';
import { answerWith } from '../../endpoint/index.js';

/** The text by which Ollama's clients recognise a server. */
const RUNNING = 'Ollama is running';

/** `GET /`: the chat page for a browser, Ollama's words for everybody else. */
export const root: EngineRoute = {
  method: 'GET',
  path: '/',
  summary: 'Says that the server runs; a browser gets the chat page.',
  async handle({ context: { page }, request: { headers } }) {
    if (page !== undefined && takesHtml(headers.get('accept'))) return answerWith(page.document, headers);
    return {
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', vary: 'accept', 'x-content-type-options': 'nosniff' },
      body: RUNNING,
    };
  },
};

/**
 * Whether the client accepts `text/html` by name, as browsers do; programs accept any type. Source: RFC 9110, 12.5.1.
 */
function takesHtml(accept = ''): boolean {
  return accept.split(',').some((range) => /^\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.test(range));
}
