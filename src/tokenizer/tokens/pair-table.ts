import { tokenizerInvalid } from '../errors.js';
import { MAX_PROBES } from '../limits.js';
import { checkTable } from './vocabulary.js';

/** Numbers by pairs of numbers: an open-addressing table of [left, right, value], empty slots are -1. */
export interface PairTable {
  /** The value of the pair, or -1. */
  valueOf(left: number, right: number): number;
}

const WIDTH = 3;

/** Pairs and their values, each a list; no number is negative. */
export interface Pairs {
  readonly lefts: ArrayLike<number>;
  readonly rights: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** Lays out the table. Of two values of one pair the later counts. `where`: the place in the file, for errors. */
export function writePairs({ lefts, rights, values }: Pairs, where: string): Int32Array {
  let slots = 8;
  while (slots < 1.5 * lefts.length) slots *= 2;
  const table = new Int32Array(WIDTH * slots).fill(-1);
  for (let i = 0; i < lefts.length; i++) {
    const left = lefts[i] as number;
    const right = rights[i] as number;
    let slot = hashOf(left, right) & (slots - 1);
    for (let probes = 0; table[WIDTH * slot] !== -1; probes++) {
      if (probes === MAX_PROBES) throw tokenizerInvalid(where, 'its pairs are made to collide');
      if (table[WIDTH * slot] === left && table[WIDTH * slot + 1] === right) break;
      slot = (slot + 1) & (slots - 1);
    }
    table[WIDTH * slot] = left;
    table[WIDTH * slot + 1] = right;
    table[WIDTH * slot + 2] = values[i] as number;
  }
  return table;
}

/** Checks every left number and value against its limit, so that look-ups need no checks. Errors: `tokenizer_invalid`. */
export function readPairs(table: Int32Array, leftLimit: number, valueLimit: number, name: string): PairTable {
  checkTable(table, WIDTH, leftLimit, name);
  let wrong = false;
  for (let at = 0; at < table.length; at += WIDTH) {
    const value = table[at + 2] as number;
    if (value < -1 || value >= valueLimit || (value === -1) !== (table[at] === -1)) wrong = true;
  }
  if (wrong) throw tokenizerInvalid('tokenizer.bin', `a value of the table ${name} is out of range`);

  const mask = table.length / WIDTH - 1;
  const valueOf = (left: number, right: number): number => {
    for (let slot = hashOf(left, right) & mask; ; slot = (slot + 1) & mask) {
      const at = WIDTH * slot;
      const first = table[at] as number;
      if (first === left && table[at + 1] === right) return table[at + 2] as number;
      if (first < 0) return -1;
    }
  };
  return { valueOf };
}

/** Two odd multipliers (golden ratio; xxHash's second prime), then a mix for the low bits. */
function hashOf(left: number, right: number): number {
  const hash = Math.imul(left, 0x9e37_79b1) ^ Math.imul(right, 0x85eb_ca77);
  return hash ^ (hash >>> 15);
}
