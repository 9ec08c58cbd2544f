import { AppError, type Clock, fromErrorData, isError, systemClock, toErrorData } from '../../base/index.js';
import { isFailure, type Failure } from '../errors.js';
import type { Link } from '../link.js';
import { takeSignals } from './signals.js';

/** How a call is made; see `withOptions`. */
export interface CallOptions {
  /** Milliseconds until the caller gets `deadline_exceeded`; for streams, for each item. `Infinity`: none. */
  readonly deadlineMs?: number | undefined;
  /** An abort rejects at once with `signal.reason` and tells the actor. */
  readonly signal?: AbortSignal | undefined;
  /** Behaviour of a call while the actor is being restarted: `fail` at once (the default), or `wait` until the deadline. */
  readonly whenDown?: 'fail' | 'wait' | undefined;
}

/** The common state of an instance's calls. */
export interface CallTableOptions {
  readonly id: string;
  readonly link: Link;
  readonly mailbox: number;
  readonly callDeadlineMs: number;
  readonly clock?: Clock | undefined;
  /** Called for a call that crashed the actor, before its caller gets the error. */
  readonly onCrash: (failure: Failure) => void;
}

/**
 * The calls under way to one instance of an actor. A call that its caller gave up keeps its mailbox slot until the
 * actor has finished it. So the limit bounds the actor's work, not the number of waiting callers.
 */
export class CallTable {
  readonly #options: CallTableOptions;
  #link: Link;
  readonly #waiting = new Map<number, (error: AppError) => void>();
  #lastId = 0;
  #depth = 0;
  #closed: AppError | undefined;
  #pinned = false;

  constructor(options: CallTableOptions) {
    this.#options = options;
    this.#link = options.link;
  }

  /** Calls and streams that the actor has not finished. */
  get depth(): number {
    return this.#depth;
  }

  /** The instance behind the calls; fault injection puts a wrapper in its place. */
  get link(): Link {
    return this.#link;
  }

  set link(link: Link) {
    this.#link = link;
  }

  /** Calls `method`. Rejects with the actor's answer, `mailbox_full`, `deadline_exceeded`, or the abort's reason. */
  async call(method: string, args: readonly unknown[], options: CallOptions): Promise<unknown> {
    const sent = takeSignals(args);
    options.signal?.throwIfAborted();
    for (const signal of sent.signals) signal.throwIfAborted();
    const callId = this.enter();
    const answer = this.#link.call(callId, method, sent.args);
    const done = (): void => this.leave();
    answer.then(done, done);
    return this.wait(callId, `${this.#options.id}.${method}()`, answer, options, sent.signals);
  }

  /** Takes a slot of the mailbox. Errors: `mailbox_full`. */
  enter(): number {
    if (this.#closed !== undefined) throw this.#closed;
    const { id, mailbox } = this.#options;
    if (this.#depth >= mailbox) {
      const message = `the mailbox of actor "${id}" holds ${mailbox} calls and is full; call again later`;
      throw new AppError('mailbox_full', message, { actor: id, limit: mailbox });
    }
    this.#depth++;
    return ++this.#lastId;
  }

  /** Releases the slot. */
  leave(): void {
    this.#depth--;
  }

  /** Settles as `answer`, unless deadline, abort or the actor's death come first. */
  wait<T>(
    callId: number,
    what: string,
    answer: Promise<T>,
    options: CallOptions,
    argumentSignals: readonly AbortSignal[] = [],
  ): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const { callDeadlineMs, clock = systemClock } = this.#options;
    const { deadlineMs = callDeadlineMs, signal } = options;
    const signals = signal === undefined ? argumentSignals : [signal, ...argumentSignals];
    return new Promise((resolve, reject) => {
      const release = (): void => {
        this.#waiting.delete(callId);
        // A waiting caller keeps the process alive; work without a waiting caller does not.
        if (this.#waiting.size === 0 && !this.#pinned) this.#link.hold(false);
        cancelTimer?.();
        for (const one of signals) one.removeEventListener('abort', onAbort);
      };
      const giveUp = (reason: unknown): void => {
        release();
        this.#link.cancel(callId, toErrorData(reason));
        reject(reason);
      };
      const onAbort = (event: Event): void => giveUp((event.target as AbortSignal).reason);
      const cancelTimer = Number.isFinite(deadlineMs)
        ? clock.after(deadlineMs, () => giveUp(deadlineExceeded(what, deadlineMs)))
        : undefined;
      if (this.#waiting.size === 0) this.#link.hold(true);
      this.#waiting.set(callId, (error) => {
        release();
        reject(error);
      });
      answer.then(
        (value) => {
          release();
          resolve(value);
        },
        (thrown: unknown) => {
          const error = this.#toError(thrown);
          release();
          reject(error);
        },
      );
      for (const one of signals) {
        if (one.aborted) return giveUp(one.reason);
        one.addEventListener('abort', onAbort, { once: true });
      }
    });
  }

  /** The instance is stopping: from here on it keeps the process alive until it is gone. */
  pin(): void {
    this.#pinned = true;
    this.#link.hold(true);
  }

  /** The instance is gone: every waiting caller gets `error`. */
  close(error: AppError): void {
    this.#closed = error;
    this.#pinned = true;
    for (const reject of this.#waiting.values()) reject(error);
  }

  #toError(thrown: unknown): Error {
    if (!isFailure(thrown)) return isError(thrown) ? thrown : new Error(String(thrown));
    if (thrown.kind === 'crash') this.#options.onCrash(thrown);
    return fromErrorData(thrown.error);
  }
}

function deadlineExceeded(what: string, deadlineMs: number): AppError {
  return new AppError('deadline_exceeded', `${what} did not answer within ${deadlineMs} ms`, { deadlineMs });
}
