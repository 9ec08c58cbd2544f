import { performance } from 'node:perf_hooks';

/** The product's source of time; tests inject their own. */
export interface Clock {
  /** Monotonic milliseconds from an arbitrary start. */
  nowMs(): number;
  /** Wall-clock seconds since 1970, for `created` in answers. */
  unixSeconds(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

/** Milliseconds since 1970 by the machine's clock, which may jump: for texts that people read, and for expiries. */
export function unixMs(): number {
  return Date.now();
}

/** Calls `run` every `periodMs` of `clock`, first after one period; the returned function ends it. */
export function every(periodMs: number, clock: Clock, run: () => void): () => void {
  let cancel = clock.after(periodMs, again);
  function again(): void {
    cancel = clock.after(periodMs, again);
    run();
  }
  return () => cancel();
}

/** Resolves after `delayMs` of `clock`. Errors: the reason of the signal. */
export function sleep(delayMs: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const stop = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** The clock of the machine. Its timers do not keep the process alive. */
export const systemClock: Clock = createClock(false);

/** The same, with timers that keep the process alive: for a program that waits for nothing else. */
export const holdingClock: Clock = createClock(true);

function createClock(holds: boolean): Clock {
  return {
    nowMs: () => performance.now(),
    unixSeconds: () => Math.floor(Date.now() / 1000),
    after(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      if (!holds) timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** A day, or RFC 3339 with a zone, where seconds may be absent. */
const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,9})?)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/**
 * Milliseconds since 1970 of a day in UTC such as `2027-01-31`, or of a time with its zone such as `2027-01-31T12:00:00Z`.
 * Undefined: the text is neither, or the calendar has no such day. `Date.parse` takes 30 February as 2 March.
 */
export function parseTime(text: string): number | undefined {
  const [, year, month, day] = TIME.exec(text) ?? [];
  if (year === undefined) return undefined;
  const start = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const hasDay = start.getUTCMonth() === Number(month) - 1 && start.getUTCDate() === Number(day);
  return hasDay ? Date.parse(text.toUpperCase()) : undefined;
}

/** The same of a time alone: a day has no moment of its own. */
export function parseMoment(text: string): number | undefined {
  return text.length === 'YYYY-MM-DD'.length ? undefined : parseTime(text);
}
