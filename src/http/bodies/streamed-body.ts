import { AppError } from '../../base/index.js';
import type { Incoming } from '../incoming.js';
import type { Sink } from './write-body.js';

/** Events of a streamed body, for the server of its request. */
export interface BodyStreamEvents {
  /** The first piece is asked for: a client that waits for `100 Continue` may send. */
  onBegin(): void;
  /** Bytes that came. */
  onBytes(bytes: number): void;
}

type Result = IteratorResult<Uint8Array, undefined>;
const OVER: Result = { done: true, value: undefined };

/**
 * The body of a request piece by piece. Its socket is read when a piece is asked for and none is here, and paused when one
 * waits. Too slow is a client that brings less than `bodyProgressBytes` in `bodyStallMs` while all of it was wanted.
 */
export class StreamedBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #sink: Sink;
  readonly #incoming: Incoming;
  readonly #events: BodyStreamEvents;
  #ready: Uint8Array[] = [];
  #reader: { resolve: (result: Result) => void; reject: (error: unknown) => void } | undefined;
  #failure: { readonly error: unknown } | undefined;
  #hasBegun = false;
  #isEnded = false;
  /** Bytes since the window of the progress rule began. */
  #windowBytes = 0;
  #wasPaused = false;
  #stopWatch: (() => void) | undefined;

  constructor(sink: Sink, incoming: Incoming, events: BodyStreamEvents) {
    this.#sink = sink;
    this.#incoming = incoming;
    this.#events = events;
  }

  /** One call at a time. */
  next(): Promise<Result> {
    this.#begin();
    const piece = this.#ready.shift();
    if (piece !== undefined) return Promise.resolve({ done: false, value: piece });
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (this.#isEnded) return Promise.resolve(OVER);
    this.#incoming.resume();
    this.#watch();
    return new Promise((resolve, reject) => (this.#reader = { resolve, reject }));
  }

  /** Wants no more: what comes is dropped. */
  async return(): Promise<Result> {
    this.#finish();
    void this.#incoming.drop();
    return OVER;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#events.onBegin();
    this.#sink.outlet.onClosed(() => {
      if (!this.#isEnded) this.#fail(new DOMException('the client is gone', 'AbortError'));
    });
    this.#incoming.take((piece, last) => this.#arrive(piece, last));
  }

  #arrive(piece: Uint8Array, last: boolean): void {
    if (this.#isEnded) return;
    if (piece.length > 0) {
      this.#windowBytes += piece.length;
      this.#events.onBytes(piece.length);
      const reader = this.#reader;
      this.#reader = undefined;
      if (reader === undefined) this.#ready.push(piece);
      else reader.resolve({ done: false, value: piece });
    }
    if (last) this.#finish();
    else if (this.#reader === undefined) {
      this.#wasPaused = true;
      this.#incoming.pause();
    }
  }

  #watch(): void {
    if (this.#stopWatch !== undefined) return;
    const { clock, limits } = this.#sink;
    this.#windowBytes = 0;
    this.#wasPaused = false;
    this.#stopWatch = clock.after(limits.bodyStallMs, () => {
      this.#stopWatch = undefined;
      if (this.#reader === undefined || this.#isEnded) return;
      if (this.#wasPaused || this.#windowBytes >= limits.bodyProgressBytes) return this.#watch();
      const message = `the body came too slowly: ${this.#windowBytes} bytes in ${limits.bodyStallMs} ms`;
      this.#fail(new AppError('request_timeout', message));
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#ready = [];
    const reader = this.#reader;
    this.#finish();
    reader?.reject(error);
  }

  /** No piece comes any more. */
  #finish(): void {
    this.#isEnded = true;
    this.#stopWatch?.();
    this.#stopWatch = undefined;
    if (this.#failure === undefined) this.#reader?.resolve(OVER);
    this.#reader = undefined;
  }
}
