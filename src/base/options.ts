import { describe } from './describe.js';
import { AppError } from './errors.js';
import { suggestion } from './suggest.js';

/** The rule of an option: the test of a value, and the words for valid ones. */
export interface OptionRule {
  readonly accepts: (value: unknown) => boolean;
  readonly expected: string;
}

/** The options of one call, each with its rule: the one list of their names. */
export type OptionTable<Options> = { readonly [Name in keyof Options]-?: OptionRule };

/** Checked options: no value is null or undefined. */
export type Checked<Options> = { readonly [Name in keyof Options]?: Exclude<Options[Name], null | undefined> };

/**
 * Checks a caller's options against their table; null and undefined count as absent. An unknown name is refused with
 * the nearest known one. Errors: `code`, by default `invalid_option`.
 */
export function checkOptions<Options extends object>(
  call: string,
  given: unknown,
  table: OptionTable<Options>,
  code = 'invalid_option',
): Checked<Options> {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw new AppError(code, `the options of ${call} are ${describe(given)}; they must be an object`);
  }
  const rules: Readonly<Record<string, OptionRule>> = table;
  const checked: Record<string, unknown> = {};
  // Also inherited ones: options may have been made from others by Object.create.
  for (const name in given) {
    const value: unknown = Reflect.get(given, name);
    if (value === undefined || value === null) continue;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) throw unknownName(`an option of ${call}`, name, Object.keys(rules), code);
    if (!rule.accepts(value)) {
      const found = describe(value, true);
      throw new AppError(code, `${name} is ${found}; it must be ${rule.expected}`, { param: name });
    }
    checked[name] = value;
  }
  return checked as Checked<Options>;
}

/** Names that fit in a message; a longer list is reduced to the nearest. */
const MAX_LISTED = 24;

/** The error for an unknown name: `thread is not an option of createEngine. Did you mean threads?` */
export function unknownName(what: string, name: string, known: readonly string[], code: string): AppError {
  const shown = /^[\w$-]{1,64}$/.test(name) ? name : `a name of ${name.length} characters`;
  const others = known.length === 0 ? ' It has none.' : ` Known are ${known.join(', ')}.`;
  const rest = suggestion(name, known) || (known.length > MAX_LISTED ? '' : others);
  return new AppError(code, `${shown} is not ${what}.${rest}`, { param: shown });
}

/** true or false. */
export const flag: OptionRule = { accepts: (value) => typeof value === 'boolean', expected: 'true or false' };

/** A function to call. */
export const callback: OptionRule = { accepts: (value) => typeof value === 'function', expected: 'a function' };

/** A value that Node accepts as an AbortSignal; it may come from another realm or another library. */
export const signal: OptionRule = {
  accepts: (value) => typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
  expected: 'an AbortSignal',
};

/** A value that its user checks, since its rule depends on more than itself. */
export const checkedLater: OptionRule = { accepts: () => true, expected: 'a value' };

/** A string that is not empty. */
export function text(expected: string): OptionRule {
  return { accepts: (value) => typeof value === 'string' && value !== '', expected };
}

/** A whole number. */
export function whole(min: number, max = Number.MAX_SAFE_INTEGER): OptionRule {
  return {
    accepts: (value) => typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max,
    expected:
      max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min} on` : `a whole number from ${min} to ${max}`,
  };
}

/** A number of at least `min`, which may be infinite. */
export function atLeast(min: number): OptionRule {
  return { accepts: (value) => typeof value === 'number' && value >= min, expected: `a number of at least ${min}` };
}

/** One of a few words. */
export function oneOf(...words: readonly string[]): OptionRule {
  return { accepts: (value) => words.some((word) => word === value), expected: words.join(' or ') };
}
