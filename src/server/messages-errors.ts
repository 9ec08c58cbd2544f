import { MessagesErrorBody, toHttpAnswer, toHttpHeaders, toMessagesErrorBody } from '../api/index.js';
import type { KindOf } from '../base/index.js';
import type { ErrorFormat } from '../endpoint/index.js';

/** What Anthropic's API answers where HTTP has 503: its clients know the type by it. Source: its documentation, errors. */
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

/** What its clients read of every answer: the id, by the name that they know. */
export function toMessagesHeaders(id: string): Readonly<Record<string, string>> {
  return { 'request-id': id };
}
