// Where the sampler's data lies: in a bank, beside the logits, from `row` on (a multiple of 8). `size`: the vocabulary, rounded
// up to whole blocks; what is rounded up holds −Infinity and weighs nothing, so that no kernel has a remainder.
// A kernel with `from` and `to` does those blocks only, so that a team can share a row out; `part` numbers its members.

/** Tokens that share one remembered maximum and one sum of weights, so that they can be passed over together. */
export const BLOCK: usize = 64;

export function blockSize(): usize {
  return BLOCK;
}

/** f32 [size]: a copy of the row of logits, for when it is changed; kernels take the address of one or the other. */
export function valuesAt(row: usize): usize {
  return row;
}

/** f32 [size], whole numbers. Not valid in a block whose sum is 0. */
export function weightsAt(row: usize, size: usize): usize {
  return row + (size << 2);
}

/** i32 [size]: the ids of a list that a kernel gives out. A part begins where its first token is. */
export function idsAt(row: usize, size: usize): usize {
  return row + 2 * (size << 2);
}

/** f32 [size]: a number of each of that list, by which it can be ordered. */
export function listAt(row: usize, size: usize): usize {
  return row + 3 * (size << 2);
}

/** f32 [size]: what each of that list weighs. u32 [size / 32] before the row is read: which tokens are allowed. */
export function listMassesAt(row: usize, size: usize): usize {
  return row + 4 * (size << 2);
}

/** f32 [size]: of those of the list between which the cut lies, their distances below 0. */
export function finalsAt(row: usize, size: usize): usize {
  return row + 5 * (size << 2);
}

/** f32 [size]: what each of these counts. */
export function finalMassesAt(row: usize, size: usize): usize {
  return row + 6 * (size << 2);
}

/** f64 [size / BLOCK]: what the tokens of each block weigh together. */
export function blockWeightsAt(row: usize, size: usize): usize {
  return row + 7 * (size << 2);
}

/** f64 [size / BLOCK]: sums that are not exact, so that they are added in the order of blocks, whoever made them. */
export function blockSumsAt(row: usize, size: usize): usize {
  return blockWeightsAt(row, size) + ((size / BLOCK) << 3);
}

/** f32 [size / BLOCK]: the largest logit of each block. */
export function blockMaxAt(row: usize, size: usize): usize {
  return blockSumsAt(row, size) + ((size / BLOCK) << 3);
}

/** Buckets of one halving of weight: so many that few tokens share one, and so few that clearing them costs next to nothing. */
export function bucketsAHalving(size: usize): i32 {
  return size > 16384 ? 256 : 64;
}

/** Places of a table of buckets: 37 halvings, and one for all that lies beyond. */
export function numBuckets(size: usize): i32 {
  return 37 * bucketsAHalving(size) + 1;
}

/** Buckets of the list, between the cuts that are possible. */
export const LIST_BUCKETS: i32 = 256;

/** f64 [4 + LIST_BUCKETS]: what the steps of finding a cut tell one another, by the names below; then the list's buckets. */
export function notesAt(row: usize, size: usize): usize {
  return (blockMaxAt(row, size) + ((size / BLOCK) << 2) + 63) & ~(<usize>63);
}

/** Note: what the buckets count that were summed until the target was reached. */
export const SUMMED: usize = 0;
/** Note: what the tokens count that come before the finals. */
export const REACHED: usize = 8;
/** Notes: the first bucket of the first table that is of what is left, and the end. */
export const FIRST: usize = 16;
export const END: usize = 24;
export const LIST_TABLE: usize = 64;

/** f64 [numBuckets] of each part, to whole cache lines: what tokens count together, by their halvings. */
export function tableAt(row: usize, size: usize, part: usize): usize {
  const first = notesAt(row, size) + LIST_TABLE + (LIST_BUCKETS << 3);
  return first + part * (((<usize>numBuckets(size) + 7) >> 3) << 6);
}

/** Bytes in all, for so many parts; `row` lies at a multiple of 64. */
export function rowBytes(size: usize, parts: usize): usize {
  return tableAt(0, size, parts);
}
