import type { SectionReader, Sections } from '../binary.js';
import { invalid } from '../errors.js';
import { MAX_MERGES } from '../limits.js';
import { readPairs, writePairs } from '../pair-table.js';

/** Merges by their pair of ids. */
export interface MergeTable {
  /** The rank of the merge of `left` and `right`, or -1: the lower, the earlier. */
  rankOf(left: number, right: number): number;
  /** rank → id of the merged token. */
  readonly ids: Int32Array;
}

/** A merge: the pair and what it becomes; its rank is its place. */
export type Merge = readonly [left: number, right: number, merged: number];

/** Lays out the table. Of two merges of one pair the later counts, as in the reference. */
export function writeMerges(merges: readonly Merge[]): Sections {
  const pairs = merges.map(([left, right], rank) => [left, right, rank] as const);
  return { mergeTable: writePairs(pairs, 'model.merges'), mergeIds: Int32Array.from(merges, ([, , merged]) => merged) };
}

/** Checks every id and rank, so that merging needs no checks. Errors: `tokenizer_invalid`. */
export function readMerges(sections: SectionReader, vocabSize: number): MergeTable {
  const ids = sections.words('mergeIds');
  if (ids.length > MAX_MERGES) throw invalid('tokenizer.bin', `${ids.length} merges, the limit is ${MAX_MERGES}`);
  const { valueOf } = readPairs(sections.words('mergeTable'), vocabSize, ids.length, 'mergeTable');
  if (ids.some((id) => id < 0 || id >= vocabSize)) throw invalid('tokenizer.bin', 'a merge makes an id out of range');
  return { rankOf: valueOf, ids };
}
