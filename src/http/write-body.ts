import type { Clock } from '../base/index.js';
import type { Exchange } from './exchange.js';
import type { HttpLimits } from './limits.js';
import type { HttpResponse } from './message.js';

/** The socket's side of an answer, as promises. */
export interface Outlet {
  /** Resolves when the answer is over, with whether it was whole. */
  readonly closed: Promise<boolean>;
  readonly isClosed: () => boolean;
  /** Called just before the head of the answer is sent, with the bytes of body that go with it. */
  readonly begin: (bytes: number) => void;
  /** Bytes of bodies handed to the socket. */
  readonly onBytes: (bytes: number) => void;
  /** Called when a reader took nothing for the limit and is about to be cut. */
  readonly onStall: () => void;
}

/** `text` or bytes as bytes. */
export function toBytes(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
}

/** Cuts the connection when the answer, whose last byte was handed over, is not taken within the write stall limit. */
export function watchEnd(exchange: Exchange, outlet: Outlet, limits: HttpLimits, clock: Clock): void {
  if (outlet.isClosed()) return;
  const stop = clock.after(limits.writeStallMs, () => {
    outlet.onStall();
    exchange.close();
  });
  void outlet.closed.then(stop);
}

/** Waits until the socket takes bytes again; cuts the connection when it does not within the write stall limit. */
function createGate(exchange: Exchange, outlet: Outlet, limits: HttpLimits, clock: Clock): () => Promise<void> {
  let open = (): void => {};
  exchange.onWritable(() => open());
  void outlet.closed.then(() => open());
  return () =>
    new Promise((resolve) => {
      if (outlet.isClosed()) return resolve();
      const stop = clock.after(limits.writeStallMs, () => {
        outlet.onStall();
        exchange.close();
      });
      open = () => {
        stop();
        resolve();
      };
    });
}

/**
 * Writes a body as its reader takes it: the next piece is asked for when the socket took the last. When the reader
 * is gone the source's `return()` is called and nothing more is asked for. Rejects as the source does.
 */
export async function writeBody(
  exchange: Exchange,
  body: AsyncIterable<string | Uint8Array>,
  outlet: Outlet,
  limits: HttpLimits,
  clock: Clock,
): Promise<void> {
  const waitWritable = createGate(exchange, outlet, limits, clock);
  const source = body[Symbol.asyncIterator]();
  let tellGone = (): void => {};
  void outlet.closed.then(() => tellGone());
  // A source may be silent for minutes: whoever waits on it must hear that the reader is gone.
  const nextOrGone = (): Promise<IteratorResult<string | Uint8Array> | undefined> =>
    new Promise((resolve, reject) => {
      tellGone = () => resolve(undefined);
      source.next().then(resolve, reject);
    });
  let bytesThisTurn = 0;
  while (!outlet.isClosed()) {
    const next = await nextOrGone();
    if (next === undefined) break;
    if (next.done === true) return;
    // A source that always has a piece ready must not keep the thread from everybody else.
    if (bytesThisTurn > limits.pieceBytes) {
      await new Promise(setImmediate);
      bytesThisTurn = 0;
    }
    const bytes = toBytes(next.value);
    for (let at = 0; at < bytes.length && !outlet.isClosed(); at += limits.pieceBytes) {
      const piece = bytes.subarray(at, at + limits.pieceBytes);
      outlet.onBytes(piece.length);
      bytesThisTurn += piece.length;
      if (!exchange.write(piece)) await waitWritable();
    }
  }
  dismiss(source);
}

/** Ends a body that nobody will read. */
export function dismissBody(body: HttpResponse['body']): void {
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    dismiss(body[Symbol.asyncIterator]());
  }
}

/** Ends a source early. A generator that waits inside `next()` ends when that settles: nobody waits for it here. */
function dismiss(source: AsyncIterator<unknown>): void {
  source.return?.().then(undefined, () => {});
}
