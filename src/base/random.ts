/**
 * Counter-based random numbers: the value depends on (seed, counter) alone. So a sequence draws the same numbers alone,
 * in a batch, or after a restart. Source: Squares RNG, Widynski 2020 (arXiv 2004.06278), four rounds, 32 bits out.
 */

const MASK = 0xffff_ffff_ffff_ffffn;

/** A key for `randomAt` from any integer seed: one splitmix64 step, made odd. Source: Steele et al. 2014. */
export function randomKey(seed: number | bigint): bigint {
  let z = (BigInt.asUintN(64, BigInt(seed)) + 0x9e37_79b9_7f4a_7c15n) & MASK;
  z = ((z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn) & MASK;
  return (z ^ (z >> 31n)) | 1n;
}

/** The random number of `counter` in the stream of `key`: uniform in [0, 1), 32 bits. */
export function randomAt(key: bigint, counter: number): number {
  const step = (BigInt(counter) * key) & MASK;
  const next = (step + key) & MASK;
  let x = step;
  x = rotate(x * x + step);
  x = rotate(x * x + next);
  x = rotate(x * x + step);
  return Number(((x * x + next) & MASK) >> 32n) / 0x1_0000_0000;
}

function rotate(x: bigint): bigint {
  const low = x & MASK;
  return ((low >> 32n) | (low << 32n)) & MASK;
}
