import { present, randomAt } from '../../base/index.js';
import type { LogitsRow } from '../../compute/index.js';
import { LogitRow } from './logit-row.js';
import { halvingScale, HEAVIEST } from './softmax.js';
import { TokenBuckets } from './token-buckets.js';
import { TokenTally } from './token-tally.js';

/** How far apart the counters of tries to draw are: past those of samplers (2^40 on) and of choices' seeds (2^41 on). */
const FURTHER_TRIES = 2 ** 42;

/**
 * Tokens that may still be chosen. They are counted into buckets when the first of them is dropped or one is drawn; samplers
 * cut off buckets, and the row is only read again by min-p and to draw. So cuts take a token for as heavy as the heaviest of its bucket
 * (0.3 % apart, 1 % in small vocabularies), while how often each of those that are left is drawn is exact. Reused from step
 * to step: nothing is allocated while sampling. A slow twin in the tests gives the same tokens, bit for bit.
 */
export class Candidates {
  /** The logits, which may be changed until something was dropped. */
  readonly row: LogitRow;
  /** For samplers that look at the tokens so far. */
  readonly tally: TokenTally;
  /** Divides distances between logits when they become weights. */
  temperature = 1;
  readonly #memory: LogitsRow;
  readonly #buckets: TokenBuckets;
  /** Blocks without a logit as large hold no candidate: set before tokens are counted, so that most need not be. */
  #floor = -Infinity;
  /** The only token left, where that is known without counting. */
  #only: number | undefined;

  constructor(row: LogitsRow) {
    this.#memory = row;
    this.#buckets = new TokenBuckets(row);
    this.row = new LogitRow(row);
    this.tally = new TokenTally(row.vocabSize);
  }

  /** Starts over with every token. `logits`: f32 [vocabSize], never written to. */
  reset(logits: Float32Array): void {
    this.row.reset(logits);
    this.temperature = 1;
    this.#buckets.clear();
    this.#floor = -Infinity;
    this.#only = undefined;
  }

  /** Keeps the likeliest, of equal ones the lowest id. Before anything was dropped. */
  keepBest(): void {
    this.#only = this.row.best;
  }

  /** Keeps the `count` likeliest, of equal ones the lowest ids. Before anything was dropped. */
  keepHeaviest(count: number): void {
    if (count >= this.row.vocabSize) return;
    this.#spareBeyond((this.row.max - this.row.reachedBy(count)) * halvingScale(this.temperature));
    const buckets = this.#count();
    if (count >= buckets.numCounted) return;
    const last = buckets.findToken(count);
    buckets.leave(last, count - buckets.before);
    buckets.high = last + 1;
  }

  /** Keeps the fewest of the likeliest, of equal ones the lowest ids, that have `share` of all the weight; at least one. */
  keepLikeliest(share: number): void {
    const buckets = this.#count();
    this.#keepNearest(buckets, buckets.low, share);
  }

  /** Keeps the fewest whose surprises are nearest to the expected one that have `share` of all the weight; at least one. */
  keepTypical(share: number): void {
    const buckets = this.#count();
    this.#keepNearest(buckets, Math.round(buckets.center), share);
  }

  /** Keeps those that weigh at least `share` (above 0) of the heaviest. */
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

  /** Drops those that have at least `share` of all the weight, but the lightest of them, of equal ones the highest id. */
  dropLarge(share: number): void {
    const buckets = this.#count();
    const least = share * buckets.mass;
    // Nothing beyond weighs as much, before it is rounded; two more for the rounding of the logarithm.
    const furthest = Math.ceil(Math.log2(HEAVIEST / Math.max(0.5, least - 0.5)) * buckets.steps) + 2;
    let last = Math.min(buckets.high - 1, furthest);
    while (last >= buckets.low && (buckets.tokens(last) === 0 || buckets.unit(last) < least)) last--;
    if (last < buckets.low) return;
    buckets.leaveLast(last);
    buckets.low = last;
  }

  /**
   * Draws in proportion to the weights, by random number `counter` of the stream of `key`. Inverse transform sampling finds a
   * bucket and a token of it; what remains of the number decides whether the token, which may be lighter than its bucket
   * says, is taken (739 times in 740, in small vocabularies 184 in 185) or a further number is. Source: von Neumann 1951, rejection.
   */
  draw(key: bigint, counter: number): number {
    if (this.#only !== undefined) return this.#only;
    const buckets = this.#count();
    const { ids, list } = this.#memory;
    const { mass } = buckets;
    for (let number = counter; ; number += FURTHER_TRIES) {
      const place = randomAt(key, number) * mass;
      // Masses are whole numbers: the first that together are more than the place.
      const bucket = buckets.findMass(buckets.low, Math.floor(place) + 1);
      const unit = buckets.unit(bucket);
      const rest = place - buckets.before;
      const index = Math.floor(rest / unit);
      const member = buckets.findMember(bucket, index);
      const steps = present(list[member], 'a member of the list');
      if (rest - index * unit < this.#memory.weightOf(steps / buckets.steps)) return ids[member] as number;
    }
  }

  /** Of the logits themselves, at temperature 1: the logarithm of all that weighs, before anything is rounded. */
  logMass(): number {
    return Math.log(this.#memory.blockMasses(this.row.max, halvingScale(1)) / HEAVIEST);
  }

  /** Spares the counting of tokens that the caller will drop: those of more halvings, by more than any rounding. */
  #spareBeyond(halvings: number): void {
    this.#floor = this.row.max - (1.0001 * halvings + 1e-4) / halvingScale(this.temperature);
  }

  /** The buckets, which are filled once. */
  #count(): TokenBuckets {
    if (this.#buckets.isEmpty) this.#buckets.fill(this.row.max, halvingScale(this.temperature), this.#floor);
    return this.#buckets;
  }

  /** Keeps the buckets nearest to `middle` that have `share` of all the weight, and of the last as many tokens as it takes. */
  #keepNearest(buckets: TokenBuckets, middle: number, share: number): void {
    const target = Math.max(1, share * buckets.mass);
    const last = buckets.findMass(middle, target);
    buckets.leave(last, Math.ceil((target - buckets.before) / buckets.unit(last)));
    const reach = Math.abs(last - middle);
    buckets.low = Math.max(buckets.low, middle - reach);
    buckets.high = Math.min(buckets.high, last < middle ? middle + reach : last + 1);
  }
}
