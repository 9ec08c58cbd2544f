import { toCodePointSet, type CodePointRanges } from '../regular/index.js';

/** Code points of one text that a property is looked for in: a plane. */
const PLANE = 0x10000;

/** The code points of a Unicode property as `\p{name}` has them; undefined for one that ECMA-262 does not know. */
export function propertySet(name: string): CodePointRanges | undefined {
  if (!/^[A-Za-z_]+(?:=[A-Za-z0-9_]+)?$/.test(name)) return undefined;
  const runs = tryRegExp(`\\p{${name}}+`);
  if (runs === undefined) return undefined;
  const ranges: [number, number][] = [];
  addRuns(0, 0xd800, runs, ranges);
  addRuns(0xe000, PLANE, runs, ranges);
  for (let plane = 1; plane <= 16; plane++) addRuns(plane * PLANE, (plane + 1) * PLANE, runs, ranges);
  return toCodePointSet(ranges);
}

/** Adds the ranges of `runs` among the code points from `first` to before `past`, which are all of one width. */
function addRuns(first: number, past: number, runs: RegExp, ranges: [number, number][]): void {
  const width = first < PLANE ? 1 : 2;
  const units = new Uint16Array((past - first) * width);
  for (let i = 0; i < past - first; i++) {
    const offset = first + i - PLANE;
    if (width === 1) units[i] = first + i;
    else {
      units[2 * i] = 0xd800 + (offset >> 10);
      units[2 * i + 1] = 0xdc00 + (offset & 0x3ff);
    }
  }
  const text = new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units);
  for (const { 0: run, index } of text.matchAll(runs)) {
    const from = first + index / width;
    ranges.push([from, from + run.length / width - 1]);
  }
}

/** Names of properties are checked by the machine that knows them all. */
function tryRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'gu');
  } catch {
    return undefined;
  }
}
