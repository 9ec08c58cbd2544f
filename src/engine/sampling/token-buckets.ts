import { assert } from '../../base/index.js';
import type { LogitsRow } from '../../compute/index.js';
import { nthLargest } from './select.js';

/**
 * Tokens in buckets, by the number of steps below the largest logit, rounded to the nearest whole number. A token
 * counts as much as the heaviest possible one of its bucket, the bucket's unit. So `before` and `mass` are whole
 * numbers and exact. After a cut a bucket keeps its likeliest tokens, of equal ones the lowest ids. Reused from step to
 * step.
 */
export class TokenBuckets {
  /** Steps of a halving: a bucket is one step wide. */
  readonly steps: number;
  /** The buckets with candidates: [low, high). */
  low = 0;
  high = 0;
  readonly #row: LogitsRow;
  #max = 0;
  #scale = 0;
  #numCounted = 0;
  /** The bucket with only one token left, and the token's rank there. */
  #aloneBucket = -1;
  #aloneRank = 0;

  constructor(row: LogitsRow) {
    this.#row = row;
    this.steps = row.stepsAHalving;
  }

  /** Empties all buckets. */
  clear(): void {
    this.low = 0;
    this.high = 0;
    this.#aloneBucket = -1;
  }

  /**
   * Counts the tokens of the row, without blocks whose logits are all below `floor`. `max`: the largest logit; `scale`:
   * halvings per logit; the steps, a power of two, multiply exactly.
   */
  fill(max: number, scale: number, floor: number): void {
    this.clear();
    this.#max = max;
    this.#scale = scale * this.steps;
    const { tokens, end } = this.#row.fillBuckets(max, this.#scale, floor);
    this.#numCounted = tokens;
    this.high = end;
  }

  get isEmpty(): boolean {
    return this.high === 0;
  }

  /** The number of counted tokens: those with a weight. */
  get numCounted(): number {
    return this.#numCounted;
  }

  /** The weight of all candidates together. */
  get mass(): number {
    return this.#row.massBetween(this.low, this.high);
  }

  /** The mean bucket of the candidates' weight. */
  get center(): number {
    return this.#row.momentBetween(this.low, this.high) / this.mass;
  }

  /** The weight of each token of a bucket. */
  unit(bucket: number): number {
    return this.#row.weightOf(Math.max(0, bucket - 0.5) / this.steps);
  }

  /** The number of a bucket's candidates. */
  tokens(bucket: number): number {
    return (this.#row.masses[bucket] as number) / this.unit(bucket);
  }

  /** Keeps the `count` likeliest candidates of a bucket. */
  leave(bucket: number, count: number): void {
    this.#row.masses[bucket] = count * this.unit(bucket);
  }

  /** Keeps the least likely candidate of a bucket, of equal ones the highest id. No further cut of that bucket may follow. */
  leaveLast(bucket: number): void {
    this.#aloneBucket = bucket;
    this.#aloneRank = this.tokens(bucket) - 1;
    this.leave(bucket, 1);
  }

  /**
   * The bucket of the n-th likeliest counted token; n at most their number. Sets `before` to the number of tokens
   * before that bucket.
   */
  findToken(n: number): number {
    return this.#row.cutCounts(n);
  }

  /**
   * The bucket at which the weight of the tokens nearest to `middle` reaches `target`, which is at most `mass`. Of two
   * equally near ones the lower comes first. Sets `before` to the weight before it.
   */
  findMass(middle: number, target: number): number {
    const bucket = this.#row.cutAround(middle, this.low, this.high, target);
    assert(bucket !== -1, 'all candidates together reach what is asked for');
    return bucket;
  }

  /** The number or weight before the bucket of the last search. */
  get before(): number {
    return this.#row.before;
  }

  /** The bucket for a number of steps, rounded as the kernels do. f32 */
  bucketOf(steps: number): number {
    return Math.fround(Math.min(steps, this.#row.masses.length) + 2 ** 23) - 2 ** 23;
  }

  /**
   * Lists all tokens of a bucket, candidates or not, in the order of ids: `ids` and `list`, their steps; returns their
   * number.
   */
  list(bucket: number): number {
    return this.#row.listBucket(this.#max, this.#scale, bucket);
  }

  /** The steps of the likeliest candidate below the largest logit. */
  leastSteps(): number {
    const bucket = this.findMass(this.low, 1);
    if (bucket === 0) return 0;
    const { list } = this.#row;
    let least = Infinity;
    for (let i = this.list(bucket) - 1; i >= 0; i--) least = Math.min(least, list[i] as number);
    return least;
  }

  /**
   * Lists a bucket and finds candidate `index` in that list: in the order of ids where the bucket is uncut, otherwise
   * from the likeliest on.
   */
  findMember(bucket: number, index: number): number {
    const { list, order } = this.#row;
    const count = this.list(bucket);
    if (this.tokens(bucket) === count) return index;
    const rank = bucket === this.#aloneBucket ? this.#aloneRank : index;
    for (let i = 0; i < count; i++) order[i] = -(list[i] as number);
    const { value, above } = nthLargest(order, count, rank + 1);
    let member = list.indexOf(-value);
    for (let ties = rank - above; ties > 0; ties--) member = list.indexOf(-value, member + 1);
    return member;
  }
}
