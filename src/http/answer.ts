import { assert, AppError } from '../base/index.js';
import type { ResponseHead } from './exchange.js';
import type { HeaderFields, HttpResponse } from './message.js';
import { dismissBody, toBytes, watchEnd, writeBody, type Sink } from './bodies/write-body.js';

/** Fields that the transports set themselves. */
const FRAMING: readonly string[] = ['connection', 'transfer-encoding', 'keep-alive'];
/** Not every transport checks them, and a line break would begin another header. Source: RFC 9110, 5.1 and 5.5. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const LENGTH = /^\d{1,15}$/;

/** Options of an answer. */
export interface AnswerOptions {
  /** Set on every answer of this request, in place of what the handler set under the same names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The connection ends with the answer. */
  readonly close: boolean;
  /** Called before the end of an answer that has begun; resolves with whether the connection can carry another request. */
  readonly beforeEnd?: (() => Promise<boolean>) | undefined;
  /** Called with the error of a failed source of a body. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Sends an answer whole and sees that its reader takes it. Errors: `internal_error` on headers that a handler may not set,
 * and on a content-length that is not that of the body.
 */
export function sendAnswer(sink: Sink, response: HttpResponse, options: AnswerOptions): void {
  const { exchange, outlet, limits } = sink;
  const { status, body = '' } = response;
  const { fields, ownLength } = readFields(response.headers, options.headers);
  const bodiless = exchange.head.method === 'HEAD' || status === 204 || status === 304;
  const whole = typeof body === 'string' || body instanceof Uint8Array ? toBytes(body) : undefined;
  if (!bodiless) checkLength(ownLength, whole);
  const contentLength = status === 204 ? undefined : (ownLength ?? (status === 304 ? undefined : whole?.length));
  const head: ResponseHead = {
    status,
    fields,
    contentLength,
    isOwnLength: ownLength !== undefined,
    bodiless,
    close: options.close,
  };
  if (bodiless || (whole !== undefined && whole.length <= limits.pieceBytes)) {
    outlet.begin(bodiless ? 0 : (whole?.length ?? 0));
    exchange.send(head, bodiless || whole === undefined ? new Uint8Array(0) : whole);
    dismissBody(body);
    watchEnd(sink);
    return;
  }
  outlet.begin(0);
  exchange.begin(head);
  const source = typeof body === 'string' || body instanceof Uint8Array ? once(toBytes(body)) : body;
  let trailers: HeaderFields = [];
  const end = (isOpen: boolean): void => {
    if (outlet.isClosed) return;
    exchange.end(!isOpen, trailers);
    watchEnd(sink);
  };
  writeBody(sink, source, whole === undefined ? ownLength : undefined, (failure) => {
    if (failure !== undefined) return options.onFailure(failure.error);
    try {
      trailers = readFields(response.trailers?.(), {}).fields;
    } catch (error) {
      return options.onFailure(error);
    }
    if (options.beforeEnd === undefined) end(true);
    else void options.beforeEnd().then(end);
  });
}

/** The fields as they are sent, those of every answer last, and the length that the handler gave. */
function readFields(
  headers: HttpResponse['headers'] = [],
  always: Readonly<Record<string, string>>,
): { readonly fields: HeaderFields; readonly ownLength: number | undefined } {
  const fields: [name: string, value: string][] = [];
  const later = new Map(Object.entries(always));
  let ownLength: number | undefined;
  for (const [name, value] of Array.isArray(headers) ? (headers as HeaderFields) : Object.entries(headers)) {
    const key = name.toLowerCase();
    assert(NAME.test(name), `a handler set a header whose name has a character that it may not have`);
    assert(!FRAMING.includes(key), `a handler set the header ${name}`);
    assert(VALUE.test(value), `a handler set the header ${name} to a value with a character that it may not have`);
    if (key === 'content-length') {
      assert(LENGTH.test(value) && ownLength === undefined, 'a handler set a content-length that is no single number');
      ownLength = Number(value);
    } else if (!later.has(key)) fields.push([name, value]);
  }
  return { fields: [...fields, ...later], ownLength };
}

function checkLength(ownLength: number | undefined, whole: Uint8Array | undefined): void {
  if (ownLength === undefined || whole === undefined || ownLength === whole.length) return;
  const message = `a handler set a content-length of ${ownLength} for a body of ${whole.length} bytes`;
  throw new AppError('internal_error', message, { ownLength, length: whole.length });
}

async function* once(piece: Uint8Array): AsyncIterable<Uint8Array> {
  yield piece;
}
