import type { SectionReader, Sections } from '../binary.js';
import { invalid } from '../errors.js';
import { MAX_MERGES, MAX_PROBES } from '../limits.js';
import { checkTable } from '../vocabulary.js';

/** Merges by their pair of ids: an open-addressing table of [left, right, rank], empty slots are -1. */
export interface MergeTable {
  /** The rank of the merge of `left` and `right`, or -1: the lower, the earlier. */
  rankOf(left: number, right: number): number;
  /** rank → id of the merged token. */
  readonly ids: Int32Array;
}

/** A merge: the pair and what it becomes; its rank is its place. */
export type Merge = readonly [left: number, right: number, merged: number];

const WIDTH = 3;

/** Lays out the table. Of two merges of one pair the later counts, as in the reference. */
export function writeMerges(merges: readonly Merge[]): Sections {
  let slots = 8;
  while (slots < 1.5 * merges.length) slots *= 2;
  const mergeTable = new Int32Array(WIDTH * slots).fill(-1);
  const mergeIds = new Int32Array(merges.length);
  merges.forEach(([left, right, merged], rank) => {
    let slot = hashOf(left, right) & (slots - 1);
    for (let probes = 0; mergeTable[WIDTH * slot] !== -1; probes++) {
      if (probes === MAX_PROBES) throw invalid('model.merges', 'merges are made to collide');
      if (mergeTable[WIDTH * slot] === left && mergeTable[WIDTH * slot + 1] === right) break;
      slot = (slot + 1) & (slots - 1);
    }
    mergeTable.set([left, right, rank], WIDTH * slot);
    mergeIds[rank] = merged;
  });
  return { mergeTable, mergeIds };
}

/** Checks every id and rank, so that merging needs no checks. Errors: `tokenizer_invalid`. */
export function readMerges(sections: SectionReader, vocabSize: number): MergeTable {
  const table = sections.words('mergeTable');
  const ids = sections.words('mergeIds');
  if (ids.length > MAX_MERGES) throw invalid('tokenizer.bin', `${ids.length} merges, the limit is ${MAX_MERGES}`);
  checkTable(table, WIDTH, vocabSize, 'mergeTable');
  let wrong = false;
  for (let at = 0; at < table.length; at += WIDTH) {
    const rank = table[at + 2] as number;
    if (rank < -1 || rank >= ids.length || (rank === -1) !== (table[at] === -1)) wrong = true;
  }
  for (let rank = 0; rank < ids.length; rank++) {
    const id = ids[rank] as number;
    if (id < 0 || id >= vocabSize) wrong = true;
  }
  if (wrong) throw invalid('tokenizer.bin', 'a merge has an id or a rank out of range');

  const mask = table.length / WIDTH - 1;
  const rankOf = (left: number, right: number): number => {
    for (let slot = hashOf(left, right) & mask; ; slot = (slot + 1) & mask) {
      const at = WIDTH * slot;
      const first = table[at] as number;
      if (first === left && table[at + 1] === right) return table[at + 2] as number;
      if (first < 0) return -1;
    }
  };
  return { rankOf, ids };
}

/** Two odd multipliers (golden ratio; xxHash's second prime), then a mix for the low bits. */
function hashOf(left: number, right: number): number {
  const hash = Math.imul(left, 0x9e37_79b1) ^ Math.imul(right, 0x85eb_ca77);
  return hash ^ (hash >>> 15);
}
