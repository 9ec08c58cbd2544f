import { AppError, type Clock } from '../../base/index.js';
import type { OpenCall } from './open-call.js';

/** Time for aborted calls to report their end. */
export const ENDING_MS = 2_000;

/** The outcome of the calls of a drain. */
export interface DrainOutcome {
  readonly finished: number;
  readonly ended: number;
}

/** Waits for a server's calls of inference, and ends those that take too long. It does not wait for other calls. */
export class CallDrain {
  readonly #calls: ReadonlySet<OpenCall>;
  readonly #clock: Clock;
  readonly #waiters = new Set<() => void>();

  constructor(calls: ReadonlySet<OpenCall>, clock: Clock) {
    this.#calls = calls;
    this.#clock = clock;
  }

  /** Records the end of a call. */
  noteEnd(): void {
    for (const look of this.#waiters) look();
  }

  /** Waits for calls of inference, and ends them after `graceMs`. Returns the number of finished and ended calls. */
  async drain(graceMs: number): Promise<DrainOutcome> {
    const found = this.#dataCalls();
    await this.settle(graceMs);
    const left = this.#dataCalls();
    for (const call of left)
      call.abort(new AppError('server_draining', 'the server is draining, and the time to end has passed'));
    if (left.length > 0) await this.settle(ENDING_MS);
    return { finished: found.filter((call) => !left.includes(call)).length, ended: left.length };
  }

  /** Settles when no call of inference is running, or after `graceMs`. */
  async settle(graceMs: number): Promise<void> {
    if (this.#dataCalls().length === 0) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        this.#waiters.delete(look);
        resolve();
      };
      const look = (): void => {
        if (this.#dataCalls().length === 0) end();
      };
      const cancel = this.#clock.after(graceMs, end);
      this.#waiters.add(look);
    });
  }

  #dataCalls(): OpenCall[] {
    return [...this.#calls].filter(({ isData }) => isData);
  }
}
