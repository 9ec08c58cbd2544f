/**
 * A set of code points: `from, to` pairs, both ends included, ascending, neither overlapping nor adjacent. Surrogates
 * may be in it, but are no text: they are in no alphabet.
 */
export type CodePointRanges = readonly number[];

/** The last code point of Unicode. */
export const LAST_CODE_POINT = 0x10ffff;
/** The first and the last surrogate: code points that no UTF-8 text has. */
export const SURROGATES: CodePointRanges = [0xd800, 0xdfff];

/** The set of the ranges `[from, to]`, which may overlap and come in any order. */
export function toCodePointSet(ranges: readonly (readonly [from: number, to: number])[]): CodePointRanges {
  const sorted = ranges.filter(([from, to]) => from <= to).toSorted((a, b) => a[0] - b[0]);
  const set: number[] = [];
  for (const [from, to] of sorted) {
    const last = set.length - 1;
    const end = set[last];
    if (end !== undefined && from <= end + 1) set[last] = Math.max(end, to);
    else set.push(from, to);
  }
  return set;
}

/** The ranges of a set as pairs. */
export function rangesOf(set: CodePointRanges): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  for (let i = 0; i < set.length; i += 2) ranges.push([set[i] as number, set[i + 1] as number]);
  return ranges;
}

/** Code points of any of the sets. */
export function uniteSets(...sets: readonly CodePointRanges[]): CodePointRanges {
  return toCodePointSet(sets.flatMap(rangesOf));
}

/** Code points that are not in the set, surrogates excepted. */
export function complementSet(set: CodePointRanges): CodePointRanges {
  const full = uniteSets(set, SURROGATES);
  const rest: [number, number][] = [];
  let next = 0;
  for (const [from, to] of rangesOf(full)) {
    rest.push([next, from - 1]);
    next = to + 1;
  }
  rest.push([next, LAST_CODE_POINT]);
  return toCodePointSet(rest);
}

/** All code points that a text may have. */
export const ANY_CODE_POINT: CodePointRanges = [0, 0xd7ff, 0xe000, LAST_CODE_POINT];
