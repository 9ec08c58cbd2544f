import { present, randomAt } from '../../base/index.js';
import type { LogitsRow } from '../../compute/index.js';
import { LogitRow } from './logit-row.js';
import { TokenBuckets } from './token-buckets.js';

/**
 * Softmax in base 2. A token weighs 2^33 × 2^−x, rounded to a whole number, where x, its *halvings*, is (max − logit) ×
 * `halvingScale(temperature)`. From 33 halvings on it weighs nothing and is never drawn. All in f32 and in an order of
 * operations that kernels-as/sampling/row-weights.ts fixes. Halvings are counted in steps, a fixed fraction of one.
 * Tokens are gathered in buckets by the nearest whole step. A bucket weighs its number of tokens times the heaviest
 * possible token in it. These are whole numbers, up to 2^53 for 2^20 tokens, more than any model has, so that their
 * sums are exact in any order. 2^33 is finer than the 32-bit random number of a draw. Logits that differ by less than a
 * part in 2^24 of their distance from the largest count as equal.
 */

/** Far above any temperature that leaves two tokens, and finite, so that its product with any distance is not NaN. */
const MAX_SCALE = 2 ** 100;

/** The weight of the heaviest token. */
const HEAVIEST = 2 ** 33;

/** The factor from a distance below the largest logit to halvings: f32, above 0 and finite. */
export function halvingScale(temperature: number): number {
  return Math.fround(Math.min(1 / (Math.LN2 * temperature), MAX_SCALE));
}

/** Distance between the random counters of repeated draws: past those of samplers (2^40 on) and of choices' seeds (2^41 on). */
const FURTHER_TRIES = 2 ** 42;

/**
 * The tokens that may still be chosen. They are counted into buckets when the first is dropped or one is drawn.
 * Samplers cut off buckets; only min-p and the draw read the row again. So cuts weigh a token like the heaviest of its
 * bucket (0.3 % apart, 1 % in small vocabularies). The draw among the remaining tokens is exact. Reused from step to
 * step: sampling allocates nothing. A slow twin in the tests gives the same tokens, bit for bit.
 */
export class Candidates {
  /** The logits, which may change until a token is dropped. */
  readonly row: LogitRow;
  /** Counts for samplers that depend on the tokens so far. */
  readonly tally: TokenTally;
  /** Divides distances between logits when they become weights. */
  temperature = 1;
  readonly #memory: LogitsRow;
  readonly #buckets: TokenBuckets;
  /** Blocks without a logit as large hold no candidate: set before the count, so that most need not be counted. */
  #floor = -Infinity;
  /** The only token left, where known without counting. */
  #only: number | undefined;

  constructor(row: LogitsRow) {
    this.#memory = row;
    this.#buckets = new TokenBuckets(row);
    this.row = new LogitRow(row);
    this.tally = new TokenTally(row.vocabSize);
  }

  /** Starts over with every token. `logits`: f32 [vocabSize], only read. */
  reset(logits: Float32Array): void {
    this.row.reset(logits);
    this.temperature = 1;
    this.#buckets.clear();
    this.#floor = -Infinity;
    this.#only = undefined;
  }

  /** Keeps the likeliest token, of equal ones the lowest id. Before any token was dropped. */
  keepBest(): void {
    this.#only = this.row.best;
  }

  /** Keeps the `count` likeliest, of equal ones the lowest ids. Before any token was dropped. */
  keepHeaviest(count: number): void {
    if (count >= this.row.vocabSize) return;
    this.#spareBeyond((this.row.max - this.row.reachedBy(count)) * halvingScale(this.temperature));
    const buckets = this.#count();
    if (count >= buckets.numCounted) return;
    const last = buckets.findToken(count);
    buckets.leave(last, count - buckets.before);
    buckets.high = last + 1;
  }

  /** Keeps the fewest of the likeliest tokens with `share` of all the weight, at least one; of equal ones the lowest ids. */
  keepLikeliest(share: number): void {
    const buckets = this.#count();
    this.#keepNearest(buckets, buckets.low, share);
  }

  /** Keeps the fewest tokens nearest to the expected surprise with `share` of all the weight, at least one. */
  keepTypical(share: number): void {
    const buckets = this.#count();
    this.#keepNearest(buckets, Math.round(buckets.center), share);
  }

  /** Keeps the tokens with at least `share` (above 0) of the heaviest weight. */
  keepLarge(share: number): void {
    const halvings = -Math.log2(share);
    if (this.#buckets.isEmpty) this.#spareBeyond(halvings);
    const buckets = this.#count();
    const limit = Math.fround(buckets.leastSteps() + halvings * buckets.steps);
    const last = buckets.bucketOf(limit);
    if (last >= buckets.high) return;
    const { list } = this.#memory;
    let within = 0;
    for (let i = buckets.list(last) - 1; i >= 0; i--) if ((list[i] as number) <= limit) within++;
    buckets.leave(last, Math.min(within, buckets.tokens(last)));
    buckets.high = last + 1;
  }

  /** Of the tokens with at least `share` of all the weight, keeps only the lightest, of equal ones the highest id. */
  dropLarge(share: number): void {
    const buckets = this.#count();
    const least = share * buckets.mass;
    // No token beyond weighs as much before rounding; two more steps for the rounding of the logarithm.
    const furthest = Math.ceil(Math.log2(HEAVIEST / Math.max(0.5, least - 0.5)) * buckets.steps) + 2;
    let last = Math.min(buckets.high - 1, furthest);
    while (last >= buckets.low && (buckets.tokens(last) === 0 || buckets.unit(last) < least)) last--;
    if (last < buckets.low) return;
    buckets.leaveLast(last);
    buckets.low = last;
  }

  /**
   * Draws in proportion to the weights, by random number `counter` of the stream of `key`. Inverse transform sampling
   * finds a bucket and a token of it. A token may be lighter than its bucket's unit, so the rest of the number decides
   * whether it is accepted. It is 739 times in 740, in small vocabularies 184 in 185; otherwise a further number is
   * drawn. Source: von Neumann 1951, rejection.
   */
  draw(key: bigint, counter: number): number {
    if (this.#only !== undefined) return this.#only;
    const buckets = this.#count();
    const { ids, list } = this.#memory;
    const { mass } = buckets;
    for (let number = counter; ; number += FURTHER_TRIES) {
      const place = randomAt(key, number) * mass;
      // Masses are whole numbers: the first buckets whose sum exceeds the drawn position.
      const bucket = buckets.findMass(buckets.low, Math.floor(place) + 1);
      const unit = buckets.unit(bucket);
      const rest = place - buckets.before;
      const index = Math.floor(rest / unit);
      const member = buckets.findMember(bucket, index);
      const steps = present(list[member], 'a member of the list');
      if (rest - index * unit < this.#memory.weightOf(steps / buckets.steps)) return ids[member] as number;
    }
  }

  /** The logarithm of all weight of the logits themselves, at temperature 1, before any rounding. */
  logMass(): number {
    return Math.log(this.#memory.blockMasses(this.row.max, halvingScale(1)) / HEAVIEST);
  }

  /** Skips the counting of tokens that the caller will drop: those with more halvings, by more than any rounding. */
  #spareBeyond(halvings: number): void {
    this.#floor = this.row.max - (1.0001 * halvings + 1e-4) / halvingScale(this.temperature);
  }

  /** The buckets, which are filled once. */
  #count(): TokenBuckets {
    if (this.#buckets.isEmpty) this.#buckets.fill(this.row.max, halvingScale(this.temperature), this.#floor);
    return this.#buckets;
  }

  /** Keeps the buckets nearest to `middle` with `share` of all the weight, and of the last bucket as many tokens as needed. */
  #keepNearest(buckets: TokenBuckets, middle: number, share: number): void {
    const target = Math.max(1, share * buckets.mass);
    const last = buckets.findMass(middle, target);
    buckets.leave(last, Math.ceil((target - buckets.before) / buckets.unit(last)));
    const reach = Math.abs(last - middle);
    buckets.low = Math.max(buckets.low, middle - reach);
    buckets.high = Math.min(buckets.high, last < middle ? middle + reach : last + 1);
  }
}

/**
 * Number of occurrences of tokens in a stretch of text. Reused from step to step: counting costs the stretch, not the
 * vocabulary.
 */
class TokenTally {
  /** Occurrences by id; 0 for all that are not in `distinct`. */
  readonly counts: Int32Array;
  /** The ids that occur: its first `numDistinct` entries. */
  readonly distinct: Int32Array;
  numDistinct = 0;

  constructor(vocabSize: number) {
    this.counts = new Int32Array(vocabSize);
    this.distinct = new Int32Array(vocabSize);
  }

  /** Counts tokenIds[from …] anew. */
  count(tokenIds: readonly number[], from: number): void {
    this.clear();
    for (let i = Math.max(0, from); i < tokenIds.length; i++) this.raise(tokenIds[i] as number, 1, true);
  }

  /** Raises the count of `id` to `value` where it is less, or adds to it. */
  raise(id: number, value: number, adds = false): void {
    const { counts, distinct } = this;
    const before = counts[id] as number;
    if (before === 0) distinct[this.numDistinct++] = id;
    counts[id] = adds ? before + value : Math.max(before, value);
  }

  clear(): void {
    for (let i = 0; i < this.numDistinct; i++) this.counts[this.distinct[i] as number] = 0;
    this.numDistinct = 0;
  }
}
