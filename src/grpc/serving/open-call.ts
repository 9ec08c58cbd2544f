import { constants, type ServerHttp2Stream } from 'node:http2';
import { AppError, type Clock } from '../../base/index.js';
import type { Identity } from '../identity/identity.js';
import { closeWhenSent } from './close-when-sent.js';
import type { Connection } from './connection.js';

/** How long a stream may stay half open behind its status. */
const LAST_MOMENT_MS = 1_000;
/** And how much its client may still send: what fits in the window that it has had. */
const LAST_BYTES = 64 * 1024;
/** Longest name of a caller that the engine takes, in UTF-16 units. */
const MAX_CALLER = 256;

/** The facts of an ended call, without its content. */
export interface CallRecord {
  promptTokens?: number | undefined;
  completionTokens?: number | undefined;
  /** Code of the error that it ended with. */
  errorCode?: string | undefined;
}

/** A call under way. Its signal aborts when it ends, for whatever reason. */
export class OpenCall {
  readonly id: string;
  /** `/package.Service/Method` */
  readonly method: string;
  /** Inference, which draining waits for. */
  readonly isData: boolean;
  readonly identity: Identity;
  readonly connection: Connection;
  /** On the server's clock. */
  readonly receivedMs: number;
  /** On the clock of `unixMs`; Infinity: none. */
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

  /** Among whom the engine's places are shared: by identity, else by address. */
  get caller(): string {
    const { label, names } = this.identity;
    const name = names.length > 0 ? label : (this.connection.socket.remoteAddress ?? '');
    return name.length > MAX_CALLER ? name.slice(-MAX_CALLER) : name;
  }

  /** Ends its work; the client gets the first reason. */
  abort(reason: AppError): void {
    this.#controller.abort(reason);
  }

  /** Ends its stream without a word. */
  reset(): void {
    if (!this.stream.destroyed) this.stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  /** The same, unless it ends by itself within so long. */
  resetLater(clock: Clock, delayMs: number): void {
    if (this.stream.destroyed) return;
    this.stream.once(
      'close',
      clock.after(delayMs, () => this.reset()),
    );
  }

  /** The answer is complete: further data of the client is of no use. The client gets a moment, or a window, to notice. */
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

  /** The client has cancelled it, or all was said: no status reaches anybody any more. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** The client left, its deadline passed, or all was said. */
  end(isLate: boolean): void {
    this.#hasLeft = !isLate && !this.signal.aborted;
    this.abort(isLate ? LATE : LEFT);
  }
}

/** Made once: each call ends with one of them, also where all is well. */
const LATE = new AppError('deadline_exceeded', 'the deadline of the call has passed');
const LEFT = new AppError('call_cancelled', 'the client cancelled the call');
