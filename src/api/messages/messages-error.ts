import type { ErrorData, KindOf } from '../../base/index.js';
import { Type } from '../../schema/index.js';
import { toErrorBody } from '../error-body.js';
import { toHttpAnswer } from '../http-answers.js';

/** Error types by status. Source: Anthropic's API documentation, errors. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
]);

/** The body of a failed answer as Anthropic's clients read it; `code` is ours and more specific than the type. */
export const MessagesErrorBody = Type.Object({
  type: Type.Enum(['error']),
  error: Type.Object({ type: Type.String(), message: Type.String(), code: Type.Union([Type.String(), Type.Null()]) }),
  request_id: Type.Optional(Type.String()),
});
export type MessagesErrorBody = Type.Static<typeof MessagesErrorBody>;

/** The type of an error by its status. */
export function messagesErrorType(status: number): string {
  return TYPES.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** The public part of an error in that API's form. For a private error it says only where to look. */
export function toMessagesErrorBody(error: ErrorData, kindOf: KindOf, requestId?: string): MessagesErrorBody {
  const { message, code } = toErrorBody(error, kindOf).error;
  const { status } = toHttpAnswer(error.code, kindOf);
  const type = messagesErrorType(status);
  return { type: 'error', error: { type, message, code }, ...(requestId !== undefined && { request_id: requestId }) };
}
