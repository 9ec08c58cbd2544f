import { AppError, suggestion } from '../base/index.js';

/** The inclusive range of an option, and whether it must be a whole number. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

/** Ranges of the options that are numbers. The wire has the same ones for sampling. */
export const ranges = {
  // 256 threads are more than any machine this has been tried on; a larger number is a typing error.
  threads: { min: 1, max: 256, whole: true },
  // GiB: what createEngine takes as bytes, from a mebibyte to more than any machine has.
  memoryBudget: { min: 0.001, max: 2 ** 18, whole: false },
  maxTokens: { min: 1, max: 2 ** 31 - 1, whole: true },
  temperature: { min: 0, max: 2, whole: false },
  topP: { min: 0, max: 1, whole: false },
  topK: { min: -1, max: 2 ** 31 - 1, whole: true },
  minP: { min: 0, max: 1, whole: false },
  seed: { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, whole: true },
  // The library's own limits.
  context: { min: 2, max: Number.MAX_SAFE_INTEGER, whole: true },
  queue: { min: 0, max: 2 ** 19, whole: true },
  port: { min: 0, max: 65_535, whole: true },
  benchTokens: { min: 1, max: 1 << 20, whole: true },
  repeats: { min: 1, max: 1000, whole: true },
} as const satisfies Record<string, NumberRange>;

/** An option's text as a number in its range. Throws `invalid_option`. */
export function parseNumber(option: string, text: string, range: NumberRange): number {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;
  const fits = value >= range.min && value <= range.max && (!range.whole || Number.isInteger(value));
  if (fits) return value;
  const kind = range.whole ? 'a whole number' : 'a number';
  throw new AppError(
    'invalid_option',
    `${option} is ${JSON.stringify(text)}, but must be ${kind} from ${range.min} to ${range.max}.`,
    { option, value: text, min: range.min, max: range.max },
  );
}

/** The same for an option that may be absent. */
export function parseOptionalNumber(option: string, text: string | undefined, range: NumberRange): number | undefined {
  return text === undefined ? undefined : parseNumber(option, text, range);
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
