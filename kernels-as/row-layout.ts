// Where the sampler's data lies: in a memory of its own, not shared, behind the constants area. `size`: the vocabulary,
// rounded up to whole blocks; what is rounded up holds −Infinity and weighs nothing, so that no kernel has a remainder.

/** Tokens that share one remembered maximum and one sum of weights, so that they can be passed over together. */
export const BLOCK: usize = 64;

/** Places of one table of buckets: 37 halvings of weight, 64 buckets each, and one for all that lies beyond. */
export const NUM_BUCKETS: usize = 37 * 64 + 1;

/** f64 [2][NUM_BUCKETS]: neighbours add to different tables, so that they do not wait for each other. */
export const BUCKETS: usize = 8192;

/** f32 [size]: the row of logits. Behind the first page, where constants and buckets are. */
export const VALUES: usize = 65536;

export function blockSize(): usize {
  return BLOCK;
}

/** f32 [size] */
export function valuesAt(): usize {
  return VALUES;
}

/** f32 [size], whole numbers. Not valid in a block whose sum is 0. */
export function weightsAt(size: usize): usize {
  return VALUES + (size << 2);
}

/** i32 [size]: the ids of a list that a kernel gives out. */
export function idsAt(size: usize): usize {
  return VALUES + 2 * (size << 2);
}

/** f32 [size]: numbers by which that list can be ordered. */
export function listAt(size: usize): usize {
  return VALUES + 3 * (size << 2);
}

/** f32 [size]: what each of that list counts. u32 [size / 32] before the row is read: which tokens are allowed. */
export function listMassesAt(size: usize): usize {
  return VALUES + 4 * (size << 2);
}

/** f64 [size / BLOCK]: what the tokens of each block weigh together. */
export function blockWeightsAt(size: usize): usize {
  return VALUES + 5 * (size << 2);
}

/** f32 [size / BLOCK]: the largest logit of each block. */
export function blockMaxAt(size: usize): usize {
  return blockWeightsAt(size) + ((size / BLOCK) << 3);
}

/** Bytes in all. */
export function endAt(size: usize): usize {
  return blockMaxAt(size) + ((size / BLOCK) << 2);
}
