import { toCodePointSet, type CodePointSet } from '../regular/index.js';

/** Code points of one text that a property is looked for in. */
const CHUNK = 0x1000;

/** The code points of a Unicode property as `\p{name}` has them; undefined for one that ECMA-262 does not know. */
export function propertySet(name: string): CodePointSet | undefined {
  if (!/^[A-Za-z_]+(?:=[A-Za-z0-9_]+)?$/.test(name)) return undefined;
  const runs = tryRegExp(`\\p{${name}}+`);
  if (runs === undefined) return undefined;
  const ranges: [number, number][] = [];
  for (let first = 0; first < 0x110000; first += CHUNK) {
    // Surrogates in a row would make pairs.
    if (first >= 0xd000 && first < 0xe000) continue;
    addRuns(first, CHUNK, runs, ranges);
  }
  addRuns(0xd000, 0x800, runs, ranges);
  return toCodePointSet(ranges);
}

function addRuns(first: number, count: number, runs: RegExp, ranges: [number, number][]): void {
  const text = String.fromCodePoint(...Array.from({ length: count }, (_, i) => first + i));
  for (const { 0: run, index } of text.matchAll(runs)) {
    const width = first < 0x10000 ? 1 : 2;
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
