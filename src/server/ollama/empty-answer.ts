import type { HttpResponse } from '../../http/index.js';

/** What Ollama answers where it is done and has nothing to tell. */
export const EMPTY_ANSWER: HttpResponse = { status: 200, headers: {}, body: '' };
