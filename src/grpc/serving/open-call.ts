import { constants, type ServerHttp2Stream } from 'node:http2';
import { AppError, type Clock } from '../../base/index.js';
import type { Identity } from '../identity/identity.js';
import { closeWhenSent } from './close-when-sent.js';
import type { Connection } from './connection.js';

/** The longest time that a stream stays half open after its status. */
const LAST_MOMENT_MS = 1_000;
/** The most bytes that its client may still send: one flow-control window. */
const LAST_BYTES = 64 * 1024;
/** The longest caller name that the engine accepts, in UTF-16 units. */
const MAX_CALLER = 256;

/** The facts of an ended call, without its content. */
export interface CallRecord {
  promptTokens?: number | undefined;
  completionTokens?: number | undefined;
  /** Code of the error that ended the call. */
  errorCode?: string | undefined;
}

/** A running call. Its signal aborts at its end, for any reason. */
export class OpenCall {
  readonly id: string;
  /** `/package.Service/Method` */
  readonly method: string;
  /** True for inference, for which draining waits. */
  readonly isData: boolean;
  readonly identity: Identity;
  readonly connection: Connection;
  /** On the server's clock. */
  readonly receivedMs: number;
  /** On the clock of `unixMs`; Infinity: no deadline. */
  readonly deadlineUnixMs: number;
  readonly record: CallRecord = {};
  readonly stream: ServerHttp2Stream;
  readonly #controller = new AbortController();
  #hasLeft = false;

  constructor(
    head: Pick<OpenCall, 'id' | 'method' | 'isData' | 'identity' | 'connection' | 'deadlineUnixMs' | 'stream'>,
    clock: Clock,
  ) {
    this.id = head.id;
    this.method = head.method;
    this.isData = head.isData;
    this.identity = head.identity;
    this.connection = head.connection;
    this.deadlineUnixMs = head.deadlineUnixMs;
    this.stream = head.stream;
    this.receivedMs = clock.nowMs();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The caller name for the engine's scheduler: the identity, else the address. */
  get caller(): string {
    const { label, names } = this.identity;
    const name = names.length > 0 ? label : (this.connection.socket.remoteAddress ?? '');
    return name.length > MAX_CALLER ? name.slice(-MAX_CALLER) : name;
  }

  /** Ends the work of the call; the client receives the first reason. */
  abort(reason: AppError): void {
    this.#controller.abort(reason);
  }

  /** Ends the stream without a status. */
  reset(): void {
    if (!this.stream.destroyed) this.stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  /** Resets the stream after `delayMs` unless it ends before. */
  resetLater(clock: Clock, delayMs: number): void {
    if (this.stream.destroyed) return;
    this.stream.once(
      'close',
      clock.after(delayMs, () => this.reset()),
    );
  }

  /** Ends a call whose answer is complete. The client may still send for a moment, or one window of data. */
  finish(clock: Clock): void {
    const { stream } = this;
    if (stream.destroyed) return;
    const close = (): void => closeWhenSent(stream);
    stream.once('close', clock.after(LAST_MOMENT_MS, close));
    let discarded = 0;
    const discard = ({ length }: Buffer): void => {
      discarded += length;
      if (discarded <= LAST_BYTES) return;
      stream.removeListener('data', discard);
      close();
    };
    if (!stream.readableEnded) stream.on('data', discard);
  }

  /** The client cancelled the call, or the answer is complete: no further status can reach the client. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Ends the call: the client left, the deadline passed, or the answer is complete. */
  end(isLate: boolean): void {
    this.#hasLeft = !isLate && !this.signal.aborted;
    this.abort(isLate ? LATE : LEFT);
  }
}

/** Shared constants: every call ends with one of them, even a successful call. */
const LATE = new AppError('deadline_exceeded', 'the deadline of the call has passed');
const LEFT = new AppError('call_cancelled', 'the client cancelled the call');
