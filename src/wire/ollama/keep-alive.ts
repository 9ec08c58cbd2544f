import { AppError, describe } from '../../base/index.js';

/** Milliseconds of Go's units of time. Source: Go, time.ParseDuration. */
const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
/** Longest text of a duration: all units, each with more digits than a number holds. */
const MAX_LENGTH = 200;
const WHOLE = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/**
 * How long a model stays in memory, in milliseconds; Infinity for values below 0. A number, or a text of one, is in
 * seconds; other texts are Go's durations. Errors: `invalid_value`.
 */
export function readKeepAlive(value: number | string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === 'number' ? value * 1000 : parseDuration(value);
  if (ms !== undefined && Number.isFinite(ms)) return ms < 0 ? Infinity : ms;
  const param = 'keep_alive';
  const message = `${param} must be a number of seconds, or a duration such as "5m", "1h30m" or "-1s"; it is ${describe(value, true)}`;
  throw new AppError('invalid_value', message, { param });
}

/** A duration as Go writes it, in milliseconds; a plain number is in seconds. Undefined: it is none. */
function parseDuration(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  if (/^[+-]?\d+$/.test(text)) return Number(text) * 1000;
  if (!WHOLE.test(text)) return undefined;
  const parts = Array.from(text.matchAll(PART), ([, digits, unit = '']) => Number(digits) * (UNITS_MS.get(unit) ?? 0));
  return parts.reduce((sum, ms) => sum + ms, 0) * (text.startsWith('-') ? -1 : 1);
}
