// Windows of budgets. All begin with a day in UTC, which has no summer time.

/** When a budget is full again: at the start of a day, week (Monday) or month in UTC, or never. */
export type Window = 'day' | 'week' | 'month' | 'total';

/** Every window. */
export const WINDOWS: readonly Window[] = ['day', 'week', 'month', 'total'];

const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday: three days after a Monday. */
const EPOCH_WEEKDAY = 3;

/** Days since 1970 in UTC. */
export function dayOf(unixMs: number): number {
  return Math.floor(unixMs / DAY_MS);
}

/** The first day of the window that `day` lies in, in days since 1970. */
export function windowStart(window: Window, day: number): number {
  switch (window) {
    case 'day':
      return day;
    case 'week':
      return day - ((((day + EPOCH_WEEKDAY) % 7) + 7) % 7);
    case 'month':
      return day - new Date(day * DAY_MS).getUTCDate() + 1;
    case 'total':
      return Number.MIN_SAFE_INTEGER;
  }
}

/** When the window that `day` lies in ends, in milliseconds since 1970. Undefined: never. */
export function windowEndMs(window: Window, day: number): number | undefined {
  const start = windowStart(window, day);
  switch (window) {
    case 'day':
      return (start + 1) * DAY_MS;
    case 'week':
      return (start + 7) * DAY_MS;
    case 'month': {
      const first = new Date(start * DAY_MS);
      return Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1);
    }
    case 'total':
      return undefined;
  }
}

/** A jump back of the wall clock up to this far does not open a window again that has ended: NTP corrects less. */
const MAX_STEP_BACK_MS = 2 * 3_600_000;

/** The day in which usage counts after `day`: the wall clock's, unless that went back a little. */
export function nextDay(day: number, unixMs: number): number {
  const now = dayOf(unixMs);
  const isStepBack = now < day && day * DAY_MS - unixMs <= MAX_STEP_BACK_MS;
  return isStepBack ? day : now;
}

/** A day as `2026-11-26`. */
export function toDate(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
