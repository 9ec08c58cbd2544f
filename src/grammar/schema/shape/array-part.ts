import { both, FALSE, TRUE, type Formula } from './formula.js';
import { lesser } from './string-part.js';

/** How many items, from the item `from` on, hold a formula. */
export interface Contains {
  readonly formula: Formula;
  readonly from: number;
  readonly min: number;
  readonly max: number | undefined;
}

/** Arrays that hold all of this. */
export interface ArrayPart {
  /** Formulas of the first items. */
  readonly prefix: readonly Formula[];
  /** Formula of all others. */
  readonly rest: Formula;
  readonly min: number;
  readonly max: number | undefined;
  readonly contains: readonly Contains[];
  /** Pointer of the keyword that forbids equal items. */
  readonly uniqueAt: string | undefined;
  /** How many of the first items a keyword has looked at, for `unevaluatedItems`. */
  readonly numSeen: number;
  /** Items that `contains` looks at count as seen. */
  readonly seesContained: boolean;
}

/** Any array. */
export const ANY_ARRAY: ArrayPart = {
  prefix: [],
  rest: TRUE,
  min: 0,
  max: undefined,
  contains: [],
  uniqueAt: undefined,
  numSeen: 0,
  seesContained: false,
};

/** The formula of the item at `index`. */
export function itemFormula({ prefix, rest }: ArrayPart, index: number): Formula {
  return prefix[index] ?? rest;
}

/** The intersection; undefined where it is empty. */
export function meetArrays(a: ArrayPart, b: ArrayPart): ArrayPart | undefined {
  const length = Math.max(a.prefix.length, b.prefix.length);
  return checkArray({
    prefix: Array.from({ length }, (_, i) => both(itemFormula(a, i), itemFormula(b, i))),
    rest: both(a.rest, b.rest),
    min: Math.max(a.min, b.min),
    max: lesser(a.max, b.max),
    contains: [...a.contains, ...b.contains.filter((each) => !a.contains.includes(each))],
    uniqueAt: a.uniqueAt ?? b.uniqueAt,
    numSeen: Math.max(a.numSeen, b.numSeen),
    seesContained: a.seesContained || b.seesContained,
  });
}

/** It, with no more items than can be; undefined where nothing holds it. */
export function checkArray(part: ArrayPart): ArrayPart | undefined {
  const impossible = part.prefix.indexOf(FALSE);
  const end = impossible >= 0 ? impossible : part.rest === FALSE ? part.prefix.length : undefined;
  const max = lesser(part.max, end);
  if (max !== undefined && part.min > max) return undefined;
  const isMissing = part.contains.some((each) => each.min > Math.max(0, (max ?? Infinity) - each.from));
  return isMissing ? undefined : { ...part, max };
}

/** The complement among arrays, as a union of parts. Undefined where it cannot be expressed. */
export function negateArray(part: ArrayPart, negate: (formula: Formula) => Formula): ArrayPart[] | undefined {
  if (part.uniqueAt !== undefined) return undefined;
  const parts: ArrayPart[] = [];
  if (part.min > 0) parts.push({ ...ANY_ARRAY, max: part.min - 1 });
  if (part.max !== undefined) parts.push({ ...ANY_ARRAY, min: part.max + 1 });
  part.prefix.forEach((formula, i) => {
    if (formula === TRUE) return;
    const before = Array.from({ length: i }, () => TRUE);
    parts.push({ ...ANY_ARRAY, prefix: [...before, negate(formula)], min: i + 1 });
  });
  if (part.rest !== TRUE && !(part.rest === FALSE && part.max !== undefined && part.max <= part.prefix.length)) {
    const other: Contains = { formula: negate(part.rest), from: part.prefix.length, min: 1, max: undefined };
    parts.push({ ...ANY_ARRAY, contains: [other] });
  }
  for (const { formula, from, min, max } of part.contains) {
    if (min > 0) parts.push({ ...ANY_ARRAY, contains: [{ formula, from, min: 0, max: min - 1 }] });
    if (max !== undefined) parts.push({ ...ANY_ARRAY, contains: [{ formula, from, min: max + 1, max: undefined }] });
  }
  return parts.flatMap((each) => checkArray(each) ?? []);
}
