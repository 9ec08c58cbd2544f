import { AppError } from './errors.js';
import { systemClock, type Clock } from './clock.js';

/** The time limit of a wait, and a signal that ends it early. */
export interface WaitOptions {
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/**
 * Settles as `promise` does, or rejects with `signal.reason` when the signal aborts, or with
 * `deadline_exceeded` when `deadlineMs` pass first. Never leaves a timer or listener behind.
 */
export function waitFor<T>(promise: Promise<T>, what: string, options: WaitOptions): Promise<T> {
  const { deadlineMs, signal, clock = systemClock } = options;
  if (signal?.aborted === true) {
    // The caller has left: without this handler a late rejection would end the process.
    promise.catch(() => {});
    return Promise.reject(signal.reason as Error);
  }
  if (signal === undefined && deadlineMs === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      release();
      reject(signal?.reason as Error);
    };
    const cancelTimer =
      deadlineMs === undefined
        ? undefined
        : clock.after(deadlineMs, () => {
            release();
            reject(new AppError('deadline_exceeded', `${what} did not answer within ${deadlineMs} ms`, { deadlineMs }));
          });
    const release = (): void => {
      signal?.removeEventListener('abort', onAbort);
      cancelTimer?.();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => {
        release();
        resolve(value);
      },
      (error: unknown) => {
        release();
        reject(error);
      },
    );
  });
}
