// Reads typed text as values. Each function returns the value or an error text.

/** A value, or the error of the text. */
export type Typed<T> = { readonly value: T } | { readonly error: string };

/** Limits of a number. */
export interface NumberRule {
  readonly min: number;
  readonly max: number;
  /** Whether the text may be empty: the value is then undefined. */
  readonly isOptional?: boolean;
}

/** Reads a whole number. */
export function readWhole(text: string, { min, max, isOptional = false }: NumberRule): Typed<number | undefined> {
  const given = text.trim().replaceAll(/[\s_,']/g, '');
  if (given === '' && isOptional) return { value: undefined };
  const value = Number(given);
  const isGood = /^\d+$/.test(given) && value >= min && value <= max;
  return isGood ? { value } : { error: `A whole number from ${min} to ${max}.` };
}

/** Reads a non-negative decimal number as text, because money does not use floating point. */
export function readDecimal(text: string): Typed<string> {
  const given = text.trim();
  return /^\d{1,12}(?:\.\d{1,9})?$/.test(given)
    ? { value: given }
    : { error: 'A decimal number such as 0.15, with a point.' };
}

/** Reads a non-empty text. */
export function readText(text: string, max: number): Typed<string> {
  const given = text.trim();
  if (given === '') return { error: 'This is needed.' };
  return given.length > max ? { error: `At most ${max} characters; this has ${given.length}.` } : { value: given };
}

/** The error, if there is one. */
export function errorOf(typed: Typed<unknown>): string | undefined {
  return 'error' in typed ? typed.error : undefined;
}

/** Converts `2026-11-26T17:20` in the reader's time zone to an API time; undefined if it is empty or invalid. */
export function toSentTime(local: string): string | undefined {
  const date = new Date(local);
  return local === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Converts an API time to the text of a field, to the minute. */
export function toLocalTime(time: string | null | undefined): string {
  if (time === null || time === undefined) return '';
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
