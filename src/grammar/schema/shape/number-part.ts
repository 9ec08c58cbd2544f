import { compareDecimals, isMultiple, isWhole, type Decimal } from './decimal.js';

/** A bound of a number. */
export interface Bound {
  readonly at: Decimal;
  /** The bound itself is not within. */
  readonly isExclusive: boolean;
}

/** Numbers that hold all of this. */
export interface NumberPart {
  /** Only whole ones; false: only others. */
  readonly isWhole: boolean | undefined;
  readonly min: Bound | undefined;
  readonly max: Bound | undefined;
  /** Whole multiples of all of these. */
  readonly multiplesOf: readonly Decimal[];
  readonly notMultiplesOf: readonly Decimal[];
  /** One of these. */
  readonly values: readonly Decimal[] | undefined;
  readonly excluded: readonly Decimal[];
}

/** Any number. */
export const ANY_NUMBER: NumberPart = {
  isWhole: undefined,
  min: undefined,
  max: undefined,
  multiplesOf: [],
  notMultiplesOf: [],
  values: undefined,
  excluded: [],
};

/** The intersection; undefined where it is empty. */
export function meetNumbers(a: NumberPart, b: NumberPart): NumberPart | undefined {
  if (a.isWhole !== undefined && b.isWhole !== undefined && a.isWhole !== b.isWhole) return undefined;
  const values = a.values === undefined ? b.values : a.values.filter((value) => b.values?.some(equals(value)) ?? true);
  const part: NumberPart = {
    isWhole: a.isWhole ?? b.isWhole,
    min: tighter(a.min, b.min, 1),
    max: tighter(a.max, b.max, -1),
    multiplesOf: mergeDecimals(a.multiplesOf, b.multiplesOf),
    notMultiplesOf: mergeDecimals(a.notMultiplesOf, b.notMultiplesOf),
    values,
    excluded: mergeDecimals(a.excluded, b.excluded),
  };
  if (values !== undefined) {
    const held = values.filter((value) => holdsNumber(part, value));
    return held.length === 0 ? undefined : { ...ANY_NUMBER, values: held };
  }
  return isBetween(part.min, part.max) ? part : undefined;
}

/** The numbers that do not hold it, as the union of parts. */
export function negateNumber(part: NumberPart): NumberPart[] {
  if (part.values !== undefined) return [{ ...ANY_NUMBER, excluded: part.values }];
  const parts: NumberPart[] = [];
  if (part.isWhole !== undefined) parts.push({ ...ANY_NUMBER, isWhole: !part.isWhole });
  if (part.min !== undefined) parts.push({ ...ANY_NUMBER, max: beyond(part.min) });
  if (part.max !== undefined) parts.push({ ...ANY_NUMBER, min: beyond(part.max) });
  for (const step of part.multiplesOf) parts.push({ ...ANY_NUMBER, notMultiplesOf: [step] });
  for (const step of part.notMultiplesOf) parts.push({ ...ANY_NUMBER, multiplesOf: [step] });
  if (part.excluded.length > 0) parts.push({ ...ANY_NUMBER, values: part.excluded });
  return parts;
}

/** Whether a number holds all of a part. */
export function holdsNumber(part: NumberPart, value: Decimal): boolean {
  return (
    (part.isWhole === undefined || part.isWhole === isWhole(value)) &&
    (part.min === undefined || compareDecimals(value, part.min.at) >= (part.min.isExclusive ? 1 : 0)) &&
    (part.max === undefined || compareDecimals(value, part.max.at) <= (part.max.isExclusive ? -1 : 0)) &&
    part.multiplesOf.every((step) => isMultiple(value, step)) &&
    !part.notMultiplesOf.some((step) => isMultiple(value, step)) &&
    (part.values?.some(equals(value)) ?? true) &&
    !part.excluded.some(equals(value))
  );
}

function equals(a: Decimal): (b: Decimal) => boolean {
  return (b) => a.digits === b.digits && a.exponent === b.exponent;
}

function mergeDecimals(a: readonly Decimal[], b: readonly Decimal[]): readonly Decimal[] {
  return a.length === 0 ? b : [...a, ...b.filter((value) => !a.some(equals(value)))];
}

function beyond({ at, isExclusive }: Bound): Bound {
  return { at, isExclusive: !isExclusive };
}

/** The tighter of two bounds; `direction` 1 for lower ones, -1 for upper ones. */
function tighter(a: Bound | undefined, b: Bound | undefined, direction: 1 | -1): Bound | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const order = compareDecimals(a.at, b.at) * direction;
  if (order === 0) return a.isExclusive ? a : b;
  return order > 0 ? a : b;
}

function isBetween(min: Bound | undefined, max: Bound | undefined): boolean {
  if (min === undefined || max === undefined) return true;
  const order = compareDecimals(min.at, max.at);
  return order < 0 || (order === 0 && !min.isExclusive && !max.isExclusive);
}
