import { MessagesErrorBody, toHttpAnswer, toHttpHeaders, toMessagesErrorBody } from '../api/index.js';
import type { KindOf } from '../base/index.js';
import type { ErrorFormat } from '../endpoint/index.js';

/** The error type of Anthropic's API for 503: its clients recognise the type. Source: its documentation, errors. */
const OVERLOADED_STATUS = 529;

/** Errors as Anthropic's API has them. */
export function createMessagesErrors(kindOf: KindOf): ErrorFormat {
  return {
    schema: MessagesErrorBody,
    toErrorResponse: (error, request) => {
      const answer = toHttpAnswer(error.code, kindOf);
      return {
        status: answer.status === 503 ? OVERLOADED_STATUS : answer.status,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          ...toHttpHeaders(answer, error.details),
          ...(request !== undefined && toMessagesHeaders(request.id)),
        },
        body: JSON.stringify(toMessagesErrorBody(error, kindOf, request?.id)),
      };
    },
  };
}

/** Its clients read the id of every answer under this name. */
export function toMessagesHeaders(id: string): Readonly<Record<string, string>> {
  return { 'request-id': id };
}
