import { assert } from '../base/index.js';
import type { ResponseHead } from './exchange.js';
import type { HttpResponse } from './message.js';
import { dismissBody, toBytes, watchEnd, writeBody, type Sink } from './write-body.js';

/** What the transports set themselves. */
const FRAMING: readonly string[] = ['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'date'];
/** Not every transport checks it, and a line break would begin another header. */
const FIELD = /^[\t\x20-\x7e]*$/;

/**
 * Sends an answer whole and sees that its reader takes it. `onFailure` hears with what the source of a body failed. Errors:
 * `internal_error` on headers that a handler may not set.
 */
export function sendAnswer(
  sink: Sink,
  response: HttpResponse,
  close: boolean,
  onFailure: (error: unknown) => void,
): void {
  const { exchange, outlet, limits } = sink;
  const { status, headers = {}, body = '' } = response;
  for (const [name, value] of Object.entries(headers)) {
    assert(!FRAMING.includes(name.toLowerCase()), `a handler set the header ${name}`);
    assert(FIELD.test(value), `a handler set the header ${name} to a value with a character that is not ASCII`);
  }
  const bodiless = exchange.head.method === 'HEAD' || status === 204 || status === 304;
  const whole = typeof body === 'string' || body instanceof Uint8Array ? toBytes(body) : undefined;
  const head: ResponseHead = { status, headers, contentLength: whole?.length, bodiless, close };
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
  writeBody(sink, source, (failure) => {
    if (failure !== undefined) return onFailure(failure.error);
    exchange.end();
    watchEnd(sink);
  });
}

async function* once(piece: Uint8Array): AsyncIterable<Uint8Array> {
  yield piece;
}
