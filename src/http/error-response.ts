import { toErrorBody, toHttpAnswer, toHttpHeaders } from '../api/index.js';
import type { ErrorData } from '../base/index.js';
import type { HttpResponse } from './message.js';

/** The answer for an error: OpenAI's body with the status and headers of its code (wire.md 2.2). */
export function errorResponse(
  error: ErrorData,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse & { readonly body: string } {
  const answer = toHttpAnswer(error.code);
  return {
    status: answer.status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...toHttpHeaders(answer), ...headers },
    body: JSON.stringify(toErrorBody(error)),
  };
}
