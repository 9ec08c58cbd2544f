import { AppError, parseTime, suggestion } from '../base/index.js';

/** The inclusive range of an option, and whether it must be a whole number. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
  /** A number within the range that is refused. */
  readonly except?: number;
}

/** Ranges of the numeric options; those of samplers are in their declarations. */
export const ranges = {
  // 256 threads are more than any tested machine has; a larger number is a typing error.
  threads: { min: 1, max: 256, whole: true },
  // GiB: createEngine's bytes, from a mebibyte to more than any machine has.
  memoryBudget: { min: 0.001, max: 2 ** 18, whole: false },
  /** -1: no limit. */
  maxTokens: { min: -1, max: 2 ** 31 - 1, whole: true, except: 0 },
  // The library's own limits.
  context: { min: 2, max: Number.MAX_SAFE_INTEGER, whole: true },
  queue: { min: 0, max: 2 ** 19, whole: true },
  // Seconds: less than a day.
  stepTimeout: { min: 1, max: 86_400, whole: false },
  port: { min: 0, max: 65_535, whole: true },
  benchTokens: { min: 1, max: 1 << 20, whole: true },
  // A page of the hub.
  searchLimit: { min: 1, max: 100, whole: true },
  repeats: { min: 1, max: 1000, whole: true },
  // As many as an engine runs and queues.
  concurrency: { min: 1, max: 576, whole: true },
} as const satisfies Record<string, NumberRange>;

/** An option's text as a number in its range. Throws `invalid_option`. */
export function parseNumber(option: string, text: string, range: NumberRange): number {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
  const isInside = value >= range.min && value <= range.max && value !== range.except;
  const fits = isInside && (!range.whole || Number.isInteger(value));
  if (fits) return value;
  const kind = range.whole ? 'a whole number' : 'a number';
  const except = range.except === undefined ? '' : ` and not ${range.except}`;
  throw new AppError(
    'invalid_option',
    `${option} is ${JSON.stringify(text)}, but must be ${kind} from ${range.min} to ${range.max}${except}.`,
    { option, value: text, min: range.min, max: range.max },
  );
}

/** The same for an option that may be absent. */
export function parseOptionalNumber(option: string, text: string | undefined, range: NumberRange): number | undefined {
  return text === undefined ? undefined : parseNumber(option, text, range);
}

/** A seed: 64 bits, signed or not, with all digits kept; -1 means a new one each time. Throws `invalid_option`. */
export function parseSeed(option: string, text: string): number | bigint {
  const digits = text.trim().replace(/^\+(?=\d)/, '');
  const seed = /^-?\d{1,20}$/.test(digits) ? BigInt(digits) : undefined;
  if (seed !== undefined && seed >= -(2n ** 63n) && seed < 2n ** 64n) {
    return Number.isSafeInteger(Number(seed)) ? Number(seed) : seed;
  }
  throw new AppError(
    'invalid_option',
    `${option} is ${JSON.stringify(text)}, but must be a whole number from -2^63 to 2^64 - 1; -1 is random.`,
    { option, value: text },
  );
}

/** Milliseconds of units of time. */
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a text such as `1m30s`; undefined: it is none. */
export function sumOfUnits(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text.trim()) return undefined;
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS_MS[unit] ?? 0), 0);
}

/** The latest time that a `Date` can hold, in milliseconds since 1970 (ECMAScript, 21.4.1.1). */
export const LATEST_MS = 8.64e15;

/**
 * An option's text as a time to come, in milliseconds since 1970: a day in UTC, a time with its zone, or a duration from now
 * on. Throws `invalid_option`, also for a time that is over.
 */
export function parseExpiry(option: string, text: string, nowMs: number): number {
  const spanMs = sumOfUnits(text);
  const time = spanMs === undefined ? parseTime(text) : Math.round(nowMs + spanMs);
  if (time !== undefined && time > nowMs && time <= LATEST_MS) return time;
  throw new AppError(
    'invalid_option',
    `${option} is ${JSON.stringify(text)}, but must be a future time: a day such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or from now on such as 30d or 12h.`,
    { option, value: text },
  );
}

/** An option's text as a duration, in milliseconds: `30s`, `1m30s`; a plain number is in seconds. Throws `invalid_option`. */
export function parseDuration(
  option: string,
  text: string,
  { minMs, maxMs }: { minMs: number; maxMs: number },
): number {
  const isNumber = /^\d+(?:\.\d+)?$/.test(text.trim());
  const ms = isNumber ? Number(text) * 1000 : sumOfUnits(text);
  if (ms !== undefined && ms >= minMs && ms <= maxMs) return ms;
  throw new AppError(
    'invalid_option',
    `${option} is ${JSON.stringify(text)}, but must be a duration such as 30s or 1m30s, from ${minMs / 1000} to ${maxMs / 1000} seconds.`,
    { option, value: text },
  );
}

/** An option's text as numbers separated by commas, without duplicates, at most `limit`. Throws `invalid_option`. */
export function parseNumbers(option: string, text: string, range: NumberRange, limit: number): number[] {
  const words = text.split(',');
  if (words.length > limit) {
    const message = `${option} has ${words.length} numbers, but may have ${limit}.`;
    throw new AppError('invalid_option', message, { option, value: text });
  }
  return [...new Set(words.map((word) => parseNumber(option, word, range)))];
}

/** An option's text as one of a list of words. Throws `invalid_option`. */
export function parseChoice<const T extends string>(option: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw new AppError(
    'invalid_option',
    `${option} is ${JSON.stringify(text)}, but must be one of ${choices.join(', ')}.${suggestion(text, choices)}`,
    { option, value: text, choices: choices.join(', ') },
  );
}
