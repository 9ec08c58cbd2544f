import { ErrorBody, toErrorBody, toHttpAnswer, toHttpHeaders } from '../api/index.js';
import type { ErrorData, KindOf } from '../base/index.js';
import type { TSchema } from '../schema/index.js';
import type { ErrorFormat } from './error-format.js';

/** The bodies of an API's errors. */
export interface ErrorBodies {
  readonly schema: TSchema;
  readonly toBody: (error: ErrorData, kindOf: KindOf) => object;
}

/** Writes errors with the status and headers of their code. `bodies`: default the bodies of OpenAI's API. */
export function createErrorFormat(
  kindOf: KindOf,
  { schema, toBody }: ErrorBodies = { schema: ErrorBody, toBody: toErrorBody },
): ErrorFormat {
  return {
    schema,
    toErrorResponse: (error) => {
      const answer = toHttpAnswer(error.code, kindOf);
      return {
        status: answer.status,
        headers: { 'content-type': 'application/json; charset=utf-8', ...toHttpHeaders(answer, error.details) },
        body: JSON.stringify(toBody(error, kindOf)),
      };
    },
  };
}
