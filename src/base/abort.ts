import { AppError } from './errors.js';
import { systemClock, type Clock } from './clock.js';

/** How long to wait for an answer, and what may end the wait early. */
export interface WaitOptions {
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/**
 * Settles as `promise` does, or rejects with `signal.reason` when the signal aborts, or with
 * `deadline_exceeded` when `deadlineMs` pass first. Never leaves a timer or listener behind.
 */
export async function waitFor<T>(promise: Promise<T>, what: string, options: WaitOptions): Promise<T> {
  const { deadlineMs, signal, clock = systemClock } = options;
  signal?.throwIfAborted();
  let release = (): void => {};
  const cut = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    const cancelTimer =
      deadlineMs === undefined
        ? undefined
        : clock.after(deadlineMs, () => {
            reject(new AppError('deadline_exceeded', `${what} did not answer within ${deadlineMs} ms`, { deadlineMs }));
          });
    release = () => {
      signal?.removeEventListener('abort', onAbort);
      cancelTimer?.();
    };
  });
  try {
    return await Promise.race([promise, cut]);
  } finally {
    release();
  }
}
