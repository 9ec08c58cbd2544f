import { type AppError, type Clock, waitFor } from '../../base/index.js';
import { createKeepAlive } from '../keep-alive.js';

/** How long a call waits for the restart of its actor. */
export interface UpWait {
  /** Milliseconds; `Infinity`: no limit. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** Calls that wait until an actor runs again. They keep the process alive. */
export class UpWaiters {
  #waiting: ((error?: AppError) => void)[] = [];

  /** Settles at the next `wake`. Errors: the error of that `wake`, `deadline_exceeded`, the reason of the signal. */
  async wait(actor: string, { deadlineMs, signal, clock }: UpWait): Promise<void> {
    const up = new Promise<void>((resolve, reject) => {
      this.#waiting.push((error) => (error === undefined ? resolve() : reject(error)));
    });
    const limit = Number.isFinite(deadlineMs) ? { deadlineMs } : {};
    const keepAlive = createKeepAlive();
    keepAlive.waiting(true);
    try {
      await waitFor(up, `the restart of actor "${actor}"`, { ...limit, signal, clock });
    } finally {
      keepAlive.clear();
    }
  }

  /** Settles all waits: the actor runs or, with an error, will not. */
  wake(error?: AppError): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake(error);
  }
}
