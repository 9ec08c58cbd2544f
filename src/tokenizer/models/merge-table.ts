import type { SectionReader, Sections } from '../file/binary.js';
import { tokenizerInvalid } from '../errors.js';
import { MAX_MERGES } from '../limits.js';
import { readPairs, writePairs } from '../tokens/pair-table.js';

/** Merges by their pair of ids. */
export interface MergeTable {
  /** The rank of the merge of `left` and `right`, or -1: the lower, the earlier. */
  rankOf(left: number, right: number): number;
  /** rank → id of the merged token. */
  readonly ids: Int32Array;
}

/** Merges by their rank: the two ids of each, and the id of their result. */
export interface Merges {
  readonly lefts: Int32Array;
  readonly rights: Int32Array;
  readonly merged: Int32Array;
}

/** Lays out the table. Of two merges of one pair the later counts, as in the reference. */
export function writeMerges({ lefts, rights, merged }: Merges): Sections {
  const values = merged.map((_, rank) => rank);
  return { mergeTable: writePairs({ lefts, rights, values }, 'model.merges'), mergeIds: merged };
}

/** Checks every id and rank, so that merging needs no checks. Errors: `tokenizer_invalid`. */
export function readMerges(sections: SectionReader, vocabSize: number): MergeTable {
  const ids = sections.words('mergeIds');
  if (ids.length > MAX_MERGES)
    throw tokenizerInvalid('tokenizer.bin', `${ids.length} merges, the limit is ${MAX_MERGES}`);
  const { valueOf } = readPairs(sections.words('mergeTable'), vocabSize, ids.length, 'mergeTable');
  if (ids.some((id) => id < 0 || id >= vocabSize))
    throw tokenizerInvalid('tokenizer.bin', 'a merge makes an id out of range');
  return { rankOf: valueOf, ids };
}
