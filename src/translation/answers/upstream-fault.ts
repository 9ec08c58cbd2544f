import { messagesErrorType } from '../../api/index.js';
import type { ToldError } from '../../answers/index.js';
import { isFields, type Fields } from '../requests/fields.js';

/** An error as a server told it, in whichever form. */
export interface UpstreamFault {
  readonly message: string;
  readonly type: string | undefined;
  readonly code: string | undefined;
  readonly param: string | undefined;
}

/** Characters of a server's message that are passed on. */
const MAX_MESSAGE = 4_000;
/** Names of errors that messages have. Source: Anthropic's API documentation, errors. */
const MESSAGES_TYPES =
  /^(?:invalid_request|authentication|permission|not_found|conflict|rate_limit|timeout|api|overloaded)_error$/;

/**
 * Reads an error: under `error`, as an object or as text; FastAPI's `detail`; or fields at the top, as vLLM once wrote and
 * responses do. Undefined: the object is none.
 */
export function readFault(object: unknown): UpstreamFault | undefined {
  if (!isFields(object)) return undefined;
  const { error, detail, message, type, object: kind } = object;
  if (isFields(error)) return toFault(error);
  if (typeof error === 'string') return toFault({ message: error });
  if (typeof detail === 'string') return toFault({ message: detail });
  if (detail !== undefined) return toFault({ message: JSON.stringify(detail) });
  return typeof message === 'string' && (type === 'error' || kind === 'error')
    ? toFault({ ...object, type: undefined })
    : undefined;
}

/** The fault of an answer that has none to read. */
export function unreadFault(status: number): UpstreamFault {
  return { message: `the runtime answered with status ${status}`, type: undefined, code: undefined, param: undefined };
}

function toFault({ message, type, code, param }: Fields): UpstreamFault {
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  return {
    message: (text(message) ?? 'the runtime failed').slice(0, MAX_MESSAGE),
    type: text(type),
    code: text(code),
    param: text(param),
  };
}

/** The body of an error of messages, and the event of that name. */
export function toMessagesFault({ message, type, code }: UpstreamFault, status: number): object {
  const known = type !== undefined && MESSAGES_TYPES.test(type) ? type : messagesErrorType(status);
  return { type: 'error', error: { type: known, message, code: code ?? null } };
}

/** The error of OpenAI's APIs. */
export function toOpenAiFault({ message, type, code, param }: UpstreamFault, status: number): ToldError {
  const byStatus = status < 500 ? 'invalid_request_error' : 'server_error';
  return { message, type: type ?? byStatus, param: param ?? null, code: code ?? null };
}

/** The status of a fault within a stream, which has none of its own. */
export function statusOfFault({ type = '', code = '' }: UpstreamFault): number {
  if (/rate_limit|budget_exceeded|insufficient_quota/.test(`${type} ${code}`)) return 429;
  return type === 'invalid_request_error' ? 400 : 502;
}
