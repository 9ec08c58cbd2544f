import type { HttpResponse } from '../../http/index.js';

/** Ollama's answer to an operation without a result. */
export const EMPTY_ANSWER: HttpResponse = { status: 200, headers: {}, body: '' };
