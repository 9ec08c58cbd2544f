import { randomAt, randomKey } from '../../base/index.js';

/** First counter for seeds in a seed's stream: past those of tokens and of samplers' own numbers (2^40 on). */
const COUNTERS = 2 ** 41;

/**
 * The seed of a request's choice. The first choice has the request's own, as with `n: 1`. Choice i has 53 bits of that
 * seed's stream, from the numbers 2^41 + 2i and 2^41 + 2i + 1. It is not seed + i, which the next request may have.
 */
export function choiceSeed(seed: number | bigint, index: number): number | bigint {
  if (index === 0) return seed;
  const key = randomKey(seed);
  const [high, low] = [randomAt(key, COUNTERS + 2 * index), randomAt(key, COUNTERS + 2 * index + 1)];
  return Math.floor(high * 2 ** 21) * 2 ** 32 + low * 2 ** 32;
}
