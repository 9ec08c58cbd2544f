import { assert, type Clock } from '../base/index.js';
import type { Exchange, ResponseHead } from './exchange.js';
import type { HttpLimits } from './limits.js';
import type { HttpResponse } from './message.js';
import { dismissBody, toBytes, watchEnd, writeBody, type Outlet } from './write-body.js';

/** What the transports set themselves. */
const FRAMING: readonly string[] = ['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'date'];
/** Not every transport checks it, and a line break would begin another header. */
const FIELD = /^[\t\x20-\x7e]*$/;

/**
 * Sends an answer whole and sees that its reader takes it. Rejects as the source of a body does, and with
 * `internal_error` on headers that a handler may not set.
 */
export async function sendAnswer(
  exchange: Exchange,
  response: HttpResponse,
  close: boolean,
  outlet: Outlet,
  limits: HttpLimits,
  clock: Clock,
): Promise<void> {
  const { status, headers = {}, body = '' } = response;
  for (const [name, value] of Object.entries(headers)) {
    assert(!FRAMING.includes(name.toLowerCase()), `a handler set the header ${name}`);
    assert(FIELD.test(value), `a handler set the header ${name} to a value with a character that is not ASCII`);
  }
  const bodiless = exchange.head.method === 'HEAD' || status === 204 || status === 304;
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const whole = toBytes(body);
    const head: ResponseHead = { status, headers, contentLength: whole.length, bodiless, close };
    if (bodiless || whole.length <= limits.pieceBytes) {
      outlet.begin(bodiless ? 0 : whole.length);
      exchange.send(head, bodiless ? new Uint8Array(0) : whole);
    } else {
      await stream(exchange, head, once(whole), outlet, limits, clock);
    }
  } else {
    const head: ResponseHead = { status, headers, contentLength: undefined, bodiless, close };
    if (bodiless) {
      outlet.begin(0);
      exchange.send(head, new Uint8Array(0));
      dismissBody(body);
    } else {
      await stream(exchange, head, body, outlet, limits, clock);
    }
  }
  watchEnd(exchange, outlet, limits, clock);
}

async function stream(
  exchange: Exchange,
  head: ResponseHead,
  body: AsyncIterable<string | Uint8Array>,
  outlet: Outlet,
  limits: HttpLimits,
  clock: Clock,
): Promise<void> {
  outlet.begin(0);
  exchange.begin(head);
  await writeBody(exchange, body, outlet, limits, clock);
  if (!outlet.isClosed()) exchange.end();
}

async function* once(piece: Uint8Array): AsyncIterable<Uint8Array> {
  yield piece;
}
