import { categoryNames, categoryRuns } from './unicode-categories.js';

/** A set of code points: [first, last] pairs, flat, ascending, apart from each other. */
export type CodePointSet = readonly number[];

const LAST = 0x10ffff;

/** Unicode White_Space: the meaning of `\s` and trimming in the reference (U+0085 is in, U+FEFF is not). */
export const whiteSpace: CodePointSet = [
  0x09, 0x0d, 0x20, 0x20, 0x85, 0x85, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f,
  0x205f, 0x205f, 0x3000, 0x3000,
];

/** Code points of `\w` beyond letters, marks, Nd, Nl and Pc: Join_Control and the alphabetic symbols (circled letters). */
const moreWordCharacters: CodePointSet = [
  0x200c, 0x200d, 0x24b6, 0x24e9, 0x1f130, 0x1f149, 0x1f150, 0x1f169, 0x1f170, 0x1f189,
];

/** The union of `sets`. */
export function unionOf(sets: readonly CodePointSet[]): CodePointSet {
  const pairs: [number, number][] = [];
  for (const set of sets) {
    for (let i = 0; i < set.length; i += 2) pairs.push([set[i] as number, set[i + 1] as number]);
  }
  pairs.sort((a, b) => a[0] - b[0]);
  const union: number[] = [];
  for (const [first, last] of pairs) {
    const end = union.length - 1;
    if (end > 0 && first <= (union[end] as number) + 1) union[end] = Math.max(union[end] as number, last);
    else union.push(first, last);
  }
  return union;
}

/** All code points that are not in `set`. */
export function complementOf(set: CodePointSet): CodePointSet {
  const rest: number[] = [];
  let next = 0;
  for (let i = 0; i < set.length; i += 2) {
    if ((set[i] as number) > next) rest.push(next, (set[i] as number) - 1);
    next = (set[i + 1] as number) + 1;
  }
  if (next <= LAST) rest.push(next, LAST);
  return rest;
}

/** Whether `codePoint` is in `set`: binary search. */
export function isIn(set: CodePointSet, codePoint: number): boolean {
  let low = 0;
  let high = set.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((set[2 * middle + 1] as number) < codePoint) low = middle + 1;
    else high = middle;
  }
  return low < set.length >> 1 && (set[2 * low] as number) <= codePoint;
}

/** The code points of a category (`Lu`) or of a group of categories (`L`); undefined for other names. */
export type CategoryLookup = (name: string) => CodePointSet | undefined;

/** Unpacks the category table when it is first asked for: many tokenizers have no pattern that does. */
export function createCategoryLookup(): CategoryLookup {
  let unpacked: ReadonlyMap<string, CodePointSet> | undefined;
  return (name) => {
    const byName = (unpacked ??= unpackCategories());
    const found = byName.get(name);
    if (found !== undefined) return found;
    if (!/^[LMNPSZC]$/.test(name)) return undefined;
    return unionOf(categoryNames.filter((each) => each.startsWith(name)).map((each) => byName.get(each) ?? []));
  };
}

function unpackCategories(): ReadonlyMap<string, CodePointSet> {
  const byName = new Map<string, number[]>(categoryNames.map((name) => [name, []]));
  let at = 0;
  for (const [, letter = '', length] of categoryRuns.matchAll(/([a-zA-D])(\d*)/g)) {
    const code = letter.charCodeAt(0);
    const name = categoryNames[code >= 97 ? code - 97 : code - 65 + 26] ?? '';
    const count = length === '' ? 1 : Number(length);
    byName.get(name)?.push(at, at + count - 1);
    at += count;
  }
  return byName;
}

/** The characters of words, `\w`: Alphabetic, marks, decimal digits, Pc and Join_Control (UTS 18, annex C). */
export function wordCharacters(categoryOf: CategoryLookup): CodePointSet {
  const parts = ['L', 'M', 'Nd', 'Nl', 'Pc'].map((name) => categoryOf(name) ?? []);
  return unionOf([...parts, moreWordCharacters]);
}
