import { AppError, type Clock } from '../../base/index.js';
import type { Exchange } from '../exchange.js';
import type { HttpLimits } from '../limits.js';
import type { HttpResponse } from '../message.js';

/** The state of an answer, and the events of its connection. */
export interface Outlet {
  /** Whether the answer is over: handed to the system whole, or cut. */
  readonly isClosed: boolean;
  /** Calls `run` when the answer is over; at once where it is. */
  onClosed(run: () => void): void;
  /** Called just before the head of the answer is sent, with the bytes of body that go with it. */
  begin(bytes: number): void;
  /** Bytes of bodies handed to the socket. */
  onBytes(bytes: number): void;
  /** Called when a reader took nothing for the limit and is about to be cut. */
  onStall(): void;
}

/** Where an answer is written, and under which limits. */
export interface Sink {
  readonly exchange: Exchange;
  readonly outlet: Outlet;
  readonly limits: HttpLimits;
  readonly clock: Clock;
}

/** Called when a source is over; `failure` holds its error. */
export type OnSourceEnd = (failure?: { readonly error: unknown }) => void;

/** `text` or bytes as bytes. */
export function toBytes(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
}

/** Cuts the connection when the answer, whose last byte was handed over, is not taken within the write stall limit. */
export function watchEnd(sink: Sink): void {
  if (!sink.outlet.isClosed) sink.outlet.onClosed(watchStall(sink));
}

/** Cuts the connection after the write stall limit, unless what is returned is called before. */
function watchStall({ exchange, outlet, limits, clock }: Sink): () => void {
  return clock.after(limits.writeStallMs, () => {
    outlet.onStall();
    exchange.close();
  });
}

/**
 * Writes a body as fast as its reader takes it: the next piece is requested when the socket took the last. When the reader is
 * gone, the source's `return()` is called and no further piece is requested. A source of a stated `length` that has more or fewer
 * bytes has failed; no byte beyond it is written. `onEnd` is called once when the source is over, with its error if it failed. It
 * is not called when the reader is gone.
 */
export function writeBody(
  sink: Sink,
  body: AsyncIterable<string | Uint8Array>,
  length: number | undefined,
  onEnd: OnSourceEnd,
): void {
  new BodyWriter(sink, body[Symbol.asyncIterator](), length, onEnd).ask();
}

/** A body while it is written. Callbacks, not async functions: thousands wait for their next piece, each in as little as that takes. */
class BodyWriter {
  readonly #sink: Sink;
  readonly #source: AsyncIterator<string | Uint8Array>;
  readonly #onEnd: OnSourceEnd;
  /** Bytes that are still to come, where the length is known. */
  #due: number | undefined;
  /** Data of the source that the socket has not taken yet. */
  #rest: Uint8Array = new Uint8Array(0);
  #bytesThisTurn = 0;
  /** The socket is full. */
  #isBlocked = false;
  #stopWatch: (() => void) | undefined;
  #isOver = false;
  readonly #onNext = (next: IteratorResult<string | Uint8Array, unknown>): void => this.#take(next);
  readonly #onError = (error: unknown): void => this.#end({ error });

  constructor(sink: Sink, source: AsyncIterator<string | Uint8Array>, length: number | undefined, onEnd: OnSourceEnd) {
    this.#sink = sink;
    this.#due = length;
    this.#source = source;
    this.#onEnd = onEnd;
    // A source may be silent for minutes: end it as soon as the reader is gone.
    sink.outlet.onClosed(() => this.#leave());
    sink.exchange.onWritable(() => {
      if (this.#isBlocked) this.#write();
    });
  }

  /** Asks the source for its next piece. */
  ask(): void {
    if (this.#isOver) return;
    this.#source.next().then(this.#onNext, this.#onError);
  }

  #take({ done, value }: IteratorResult<string | Uint8Array, unknown>): void {
    if (this.#isOver) return;
    if (done === true)
      return this.#due !== undefined && this.#due > 0 ? this.#miss(`${this.#due} bytes fewer`) : this.#end();
    this.#rest = toBytes(value);
    if (this.#due !== undefined) {
      if (this.#rest.length > this.#due) return this.#miss('more bytes');
      this.#due -= this.#rest.length;
    }
    // A source that always has a piece ready must not keep the thread from everybody else.
    if (this.#bytesThisTurn <= this.#sink.limits.pieceBytes) return this.#write();
    this.#bytesThisTurn = 0;
    setImmediate(() => this.#write());
  }

  /** Writes the available data until the socket is full, then asks for more. */
  #write(): void {
    this.#stopWatch?.();
    this.#isBlocked = false;
    const { exchange, outlet, limits } = this.#sink;
    while (this.#rest.length > 0 && !this.#isOver && !this.#isBlocked) {
      const piece = this.#rest.subarray(0, limits.pieceBytes);
      this.#rest = this.#rest.subarray(piece.length);
      outlet.onBytes(piece.length);
      this.#bytesThisTurn += piece.length;
      this.#isBlocked = !exchange.write(piece);
    }
    if (this.#isOver) return;
    if (this.#isBlocked) this.#stopWatch = watchStall(this.#sink);
    else this.ask();
  }

  #end(failure?: { readonly error: unknown }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(failure);
  }

  /** Ends a source that has not the bytes that the head of the answer said. */
  #miss(what: string): void {
    const error = new AppError('internal_error', `the body of an answer has ${what} than its content-length`);
    dismiss(this.#source);
    this.#end({ error });
  }

  #leave(): void {
    this.#stopWatch?.();
    if (this.#isOver) return;
    this.#isOver = true;
    dismiss(this.#source);
  }
}

/** Ends a body that will not be read. */
export function dismissBody(body: HttpResponse['body']): void {
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    dismiss(body[Symbol.asyncIterator]());
  }
}

/** Ends a source early. A generator that waits inside `next()` ends when that settles; this call does not wait for it. */
function dismiss(source: AsyncIterator<unknown>): void {
  source.return?.().then(undefined, () => {});
}
