import type { CodePointSet } from './code-points.js';

/**
 * Code points in classes: two of the same class are in the same sets. Two levels: `pageOf[codePoint >> 8]` is a page,
 * `pages[page * 256 + (codePoint & 255)]` the class; equal pages are stored once.
 */
export interface ClassTable {
  readonly count: number;
  readonly pageOf: Uint16Array;
  readonly pages: Uint16Array;
  /** Whether the code points of class `number` are in set `set`. */
  holds(number: number, set: number): boolean;
}

/** Cuts all code points into the classes of `sets`. */
export function createClassTable(sets: readonly CodePointSet[]): ClassTable {
  const flips: { at: number; bit: bigint }[] = [];
  sets.forEach((set, number) => {
    const bit = 1n << BigInt(number);
    for (let i = 0; i < set.length; i += 2)
      flips.push({ at: set[i] as number, bit }, { at: (set[i + 1] as number) + 1, bit });
  });
  flips.sort((a, b) => a.at - b.at);

  const numbers = new Map<bigint, number>();
  const flat = new Uint16Array(0x110000);
  const mixed = new Uint8Array(0x1101); // pages where a set begins or ends
  for (const { at } of flips) mixed[at >> 8] = 1;
  let signature = 0n;
  for (let i = 0, at = 0; at < flat.length;) {
    while (i < flips.length && flips[i]?.at === at) signature ^= flips[i++]?.bit ?? 0n;
    let number = numbers.get(signature);
    if (number === undefined) numbers.set(signature, (number = numbers.size));
    const end = flips[i]?.at ?? flat.length;
    flat.fill(number, at, end);
    at = end;
  }
  const signatures = [...numbers.keys()];
  return {
    count: signatures.length,
    ...toPages(flat, mixed),
    holds: (number, set) => ((signatures[number] ?? 0n) >> BigInt(set)) % 2n === 1n,
  };
}

function toPages(flat: Uint16Array, mixed: Uint8Array): { pageOf: Uint16Array; pages: Uint16Array } {
  const pageOf = new Uint16Array(0x1100);
  const pages: Uint16Array[] = [];
  const known = new Map<string, number>();
  for (let i = 0; i < pageOf.length; i++) {
    const page = flat.subarray(i << 8, (i + 1) << 8);
    const key = mixed[i] === 1 ? page.join() : `${page[0]}`;
    let number = known.get(key);
    if (number === undefined) {
      number = pages.push(page) - 1;
      known.set(key, number);
    }
    pageOf[i] = number;
  }
  const joined = new Uint16Array(pages.length << 8);
  pages.forEach((page, i) => joined.set(page, i << 8));
  return { pageOf, pages: joined };
}
