import type { Dispatcher } from 'undici';
import { isError, type Clock } from '../../base/index.js';
import type { HeaderFields } from '../../http/index.js';
import { toUpstreamError, upstreamError, type UpstreamReason } from './failure.js';
import type { ReadGate, Gates } from './gates.js';
import type { UpstreamLimits } from './limits.js';
import { EventTimer } from './event-timer.js';

/** The answer of an upstream, as received. */
export interface UpstreamAnswer {
  readonly status: number;
  /** In the order sent, none joined; bytes beyond ASCII as latin1. */
  readonly fields: HeaderFields;
  /**
   * The body, with transfer coding undone and content-encoding left, in the pieces in which it came. `return()` stops the
   * upstream. Errors: `upstream_error`, `upstream_timeout`, the reason of the request's signal.
   */
  readonly body: AsyncIterableIterator<Uint8Array, undefined>;
  /** Fields behind the body; empty before its end. */
  readonly trailers: () => HeaderFields;
}

/** Options of a call besides its request. */
export interface UpstreamCallOptions {
  readonly id: string;
  readonly limits: UpstreamLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Of the connections of its pool. */
  readonly gates: Gates;
  /** Called once when the upstream has nothing more to do for this call. */
  readonly onEnd: () => void;
}

type Result = IteratorResult<Uint8Array, undefined>;
const OVER: Result = { done: true, value: undefined };

/** One request at an upstream, from its dispatch to the end of its answer. A class, since thousands may wait at once. */
export class UpstreamCall implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array, undefined> {
  readonly answer: Promise<UpstreamAnswer>;
  readonly #options: UpstreamCallOptions;
  readonly #watch: EventTimer;
  readonly #whole: EventTimer;
  readonly #onAbort = (): void => this.#fail(this.#options.signal?.reason);
  #resolve!: (answer: UpstreamAnswer) => void;
  #reject!: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  /** The gate of its connection, once a slow reader needed it. */
  #gate: ReadGate | undefined;
  #trailers: HeaderFields = [];
  #pieces: Uint8Array[] = [];
  #heldBytes = 0;
  #reader: { resolve: (result: Result) => void; reject: (error: unknown) => void } | undefined;
  #failure: { readonly error: unknown } | undefined;
  #hasHead = false;
  #isEnded = false;

  constructor(options: UpstreamCallOptions) {
    this.#options = options;
    this.answer = new Promise((resolve, reject) => ([this.#resolve, this.#reject] = [resolve, reject]));
    const { clock, limits, signal } = options;
    this.#watch = new EventTimer(clock, () => this.#late(this.#hasHead ? 'idle_timeout' : 'first_byte_timeout'));
    this.#whole = new EventTimer(clock, () => this.#late('request_timeout'));
    this.#watch.start(limits.firstByteMs);
    this.#whole.start(limits.requestMs);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (signal?.aborted === true) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(toError(this.#failure.error));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    // 100, 102 and 103 are of this connection, and another head follows.
    if (status < 200) return;
    this.#hasHead = true;
    this.#watch.pause();
    const fields = toFields(controller.rawHeaders);
    this.#resolve({ status, fields, body: this, trailers: () => this.#trailers });
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    if (this.#isEnded || piece.length === 0) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) {
      this.#watch.pause();
      reader.resolve({ done: false, value: piece });
      return;
    }
    this.#pieces.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes < this.#options.limits.heldBytes) return;
    this.#gate ??= this.#options.gates.reading();
    this.#gate.shut();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.#trailers = toFields(controller.rawTrailers);
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(toUpstreamError(this.#options.id, error, this.#controller !== undefined));
  }

  /** One call at a time. */
  next(): Promise<Result> {
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      this.#heldBytes -= piece.length;
      if (this.#pieces.length === 0 && !this.#isEnded) this.#gate?.open();
      return Promise.resolve({ done: false, value: piece });
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (this.#isEnded) return Promise.resolve(OVER);
    this.#watch.start(this.#options.limits.idleMs);
    return new Promise((resolve, reject) => (this.#reader = { resolve, reject }));
  }

  /** Wants no more: ending the connection stops the upstream. */
  async return(): Promise<Result> {
    this.#pieces = [];
    // Every answer of known length ends here too.
    if (!this.#isEnded) this.#fail(new DOMException('the answer is not wanted any more', 'AbortError'));
    return OVER;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #late(reason: UpstreamReason): void {
    this.#fail(upstreamError(this.#options.id, reason));
  }

  #fail(error: unknown): void {
    if (this.#isEnded) return;
    this.#failure = { error };
    this.#reject(error);
    this.#reader?.reject(error);
    this.#finish();
    this.#controller?.abort(toError(error));
  }

  #finish(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#gate?.release();
    this.#watch.stop();
    this.#whole.stop();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    if (this.#failure === undefined) this.#reader?.resolve(OVER);
    this.#reader = undefined;
    this.#options.onEnd();
  }
}

function toError(error: unknown): Error {
  return isError(error) ? error : new Error('aborted', { cause: error });
}

/** Fields as undici has them: names and values in turns. */
function toFields(raw: Dispatcher.DispatchController['rawHeaders']): HeaderFields {
  if (!Array.isArray(raw)) return [];
  const fields: [name: string, value: string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) fields.push([toLatin1(raw[i]), toLatin1(raw[i + 1])]);
  return fields;
}

function toLatin1(text: Buffer | string | undefined): string {
  return typeof text === 'string' ? text : (text?.toString('latin1') ?? '');
}
