import { ErrorBody, toErrorBody, toHttpAnswer, toHttpHeaders } from '../api/index.js';
import type { KindOf } from '../base/index.js';
import type { ErrorFormat } from './error-format.js';

/** Errors as OpenAI's API has them: its body, under the status and headers of their code. */
export function createErrorFormat(kindOf: KindOf): ErrorFormat {
  return {
    schema: ErrorBody,
    toErrorResponse: (error) => {
      const answer = toHttpAnswer(error.code, kindOf);
      return {
        status: answer.status,
        headers: { 'content-type': 'application/json; charset=utf-8', ...toHttpHeaders(answer, error.details) },
        body: JSON.stringify(toErrorBody(error, kindOf)),
      };
    },
  };
}
