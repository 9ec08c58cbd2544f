import { randomInt } from 'node:crypto';
import { type AppError, isAppError, sleep, type Clock } from '../../base/index.js';

/** Another try follows. */
export interface Retry {
  /** The failure, as a part of a sentence. */
  readonly reason: string;
  /** Of this try, from 2 on. */
  readonly attempt: number;
  readonly waitMs: number;
}

/** Tries of one request. Source: Ollama's number for a part. */
export const MAX_ATTEMPTS = 6;
/** The wait before the second try, which doubles up to the second number. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** The longest wait for a hub that throttles; its windows have five minutes. */
export const LONGEST_THROTTLE_MS = 300_000;

/** Whether `error` is of a kind that another try may mend. */
export function isTransient(error: unknown): error is AppError {
  return isAppError(error) && (error.code === 'hub_unreachable' || error.code === 'hub_throttled');
}

/** How long to wait before try number `attempt`; undefined: longer than anybody waits. */
export function waitBefore(attempt: number, error: AppError): number | undefined {
  const { waitMs } = error.details;
  const asked = typeof waitMs === 'number' && waitMs >= 0 ? waitMs : undefined;
  if (asked !== undefined) return asked > LONGEST_THROTTLE_MS ? undefined : asked;
  // Requests that were refused together must not all return together.
  const jitter = 0.75 + randomInt(500) / 1_000;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 2)) * jitter;
}

/** The failure, in a few words. */
export function reasonFor({ code, details }: AppError): string {
  if (code === 'hub_throttled') return 'asked too often';
  return typeof details['why'] === 'string' ? details['why'] : code;
}

/**
 * Runs `work` until it succeeds, fails for good, or was tried `MAX_ATTEMPTS` times. Errors: those of `work`; the reason
 * of the signal.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  {
    clock,
    signal,
    onRetry,
  }: {
    readonly clock: Clock;
    readonly signal?: AbortSignal | undefined;
    readonly onRetry?: ((retry: Retry) => void) | undefined;
  },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || attempt === MAX_ATTEMPTS) throw error;
      const waitMs = waitBefore(attempt + 1, error);
      if (waitMs === undefined) throw error;
      onRetry?.({ reason: reasonFor(error), attempt: attempt + 1, waitMs });
      await sleep(waitMs, clock, signal);
    }
  }
}
