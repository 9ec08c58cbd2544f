// Where the sampler's data lies: in a segment, beside the logits, from `row` on (a multiple of 64). `size`: the vocabulary,
// rounded up to whole blocks; what is rounded up holds −Infinity, so that no kernel has a remainder. A kernel with `from`
// and `to` does those blocks only, so that a thread group can share a row out; `part` numbers its members.

/** Tokens that share one remembered maximum, so that they can be passed over together. */
export const BLOCK: usize = 64;
/** Bytes of a block's logits. */
export const BLOCK_BYTES: usize = BLOCK << 2;

export function blockSize(): usize {
  return BLOCK;
}

/** f32 [size]: a copy of the row of logits, for when it is changed; kernels take the address of one or the other. */
export function valuesAt(row: usize): usize {
  return row;
}

/** i32 [size]: the ids of a list that a kernel gives out. A part begins where its first token is. Before: scratch of a block. */
export function idsAt(row: usize, size: usize): usize {
  return row + (size << 2);
}

/** f32 [size]: a number of each of that list. Before: scratch of a block. */
export function listAt(row: usize, size: usize): usize {
  return row + 2 * (size << 2);
}

/** u32 [size / 32]: which tokens are allowed. f32 [size]: scratch for ordering the list. */
export function allowedAt(row: usize, size: usize): usize {
  return row + 3 * (size << 2);
}

/** f64 [size / BLOCK]: sums that are not exact, so they are added in the order of blocks, whichever part made them. */
export function blockSumsAt(row: usize, size: usize): usize {
  return row + 4 * (size << 2);
}

/** f32 [size / BLOCK]: the largest logit of each block. */
export function blockMaxAt(row: usize, size: usize): usize {
  return blockSumsAt(row, size) + ((size / BLOCK) << 3);
}

/** Buckets of one halving of weight: fine enough for the vocabulary, and so few that adding them up costs little. */
export function stepsAHalving(size: usize): i32 {
  return size > 16384 ? 256 : 64;
}

/** Buckets that weigh something: 33 halvings, a multiple of 32. Eight more hold all that lies beyond. */
export function numBuckets(size: usize): i32 {
  return 33 * stepsAHalving(size);
}

/** f64: what the last cut left before its bucket. To a whole cache line. */
export function notesAt(row: usize, size: usize): usize {
  return (blockMaxAt(row, size) + ((size / BLOCK) << 2) + 63) & ~(<usize>63);
}

/** f64 [numBuckets]: what the tokens of each bucket weigh together. */
export function massesAt(row: usize, size: usize): usize {
  return notesAt(row, size) + 64;
}

/** i32 of each part, a cache line before its counts: buckets from there on are empty. */
export function usedAt(row: usize, size: usize, part: usize): usize {
  return massesAt(row, size) + (numBuckets(size) << 3) + part * ((numBuckets(size) << 2) + 128);
}

/** i32 [numBuckets + 8] of each part: how many tokens are in each bucket. */
export function countsAt(row: usize, size: usize, part: usize): usize {
  return usedAt(row, size, part) + 64;
}

/** Bytes in all, for so many parts. */
export function rowBytes(size: usize, parts: usize): usize {
  return usedAt(0, size, parts);
}
