import { assert } from '../../base/index.js';
import type { LogitsRow } from '../../compute/index.js';
import { nthLargest } from './select.js';

/**
 * Tokens in buckets, by how many steps they lie below the largest logit: the nearest whole number. A token of a bucket counts
 * as much as the heaviest that could be in it, its unit, so that `before` and `mass` are whole numbers and exact. What is left
 * of a bucket from which tokens were taken are its likeliest, of equal ones the lowest ids. Reused from step to step.
 */
export class TokenBuckets {
  /** Steps of a halving: a bucket is one step wide. */
  readonly steps: number;
  /** The buckets that have candidates: [low, high). */
  low = 0;
  high = 0;
  readonly #row: LogitsRow;
  #max = 0;
  #scale = 0;
  #numCounted = 0;
  /** The bucket of which one token alone is left, and its rank there. */
  #aloneBucket = -1;
  #aloneRank = 0;

  constructor(row: LogitsRow) {
    this.#row = row;
    this.steps = row.stepsAHalving;
  }

  /** Empties all. */
  clear(): void {
    this.low = 0;
    this.high = 0;
    this.#aloneBucket = -1;
  }

  /**
   * Counts the tokens of the row, but for blocks of which no logit reaches `floor`. `max`: the largest logit; `scale`:
   * halvings a logit, which steps, a power of two, multiply exactly.
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

  /** How many tokens were counted: those that weigh something. */
  get numCounted(): number {
    return this.#numCounted;
  }

  /** What all candidates weigh together. */
  get mass(): number {
    return this.#row.massBetween(this.low, this.high);
  }

  /** The mean bucket of what the candidates weigh. */
  get center(): number {
    return this.#row.momentBetween(this.low, this.high) / this.mass;
  }

  /** What each token of a bucket counts. */
  unit(bucket: number): number {
    return this.#row.weightOf(Math.max(0, bucket - 0.5) / this.steps);
  }

  /** How many candidates a bucket has. */
  tokens(bucket: number): number {
    return (this.#row.masses[bucket] as number) / this.unit(bucket);
  }

  /** Leaves the `count` likeliest candidates of a bucket. */
  leave(bucket: number, count: number): void {
    this.#row.masses[bucket] = count * this.unit(bucket);
  }

  /** Leaves the least likely candidate of a bucket, of equal ones the highest id. Nothing may be taken from it after. */
  leaveLast(bucket: number): void {
    this.#aloneBucket = bucket;
    this.#aloneRank = this.tokens(bucket) - 1;
    this.leave(bucket, 1);
  }

  /** The bucket of the n-th likeliest of all that were counted; n at most as many. Then `before` is how many come before it. */
  findToken(n: number): number {
    return this.#row.cutCounts(n);
  }

  /**
   * The bucket with which those nearest to `middle` reach `target`, which is not more than `mass`; of two equally near ones
   * the lower comes first. Then `before` is what those before it weigh.
   */
  findMass(middle: number, target: number): number {
    const bucket = this.#row.cutAround(middle, this.low, this.high, target);
    assert(bucket !== -1, 'all candidates together reach what is asked for');
    return bucket;
  }

  /** What comes before the bucket that was found last. */
  get before(): number {
    return this.#row.before;
  }

  /** The bucket of so many steps, rounded as the kernels do. f32 */
  bucketOf(steps: number): number {
    return Math.fround(Math.min(steps, this.#row.masses.length) + 2 ** 23) - 2 ** 23;
  }

  /** Lists all tokens of a bucket, candidates or not, in the order of ids: `ids` and `list`, their steps; returns how many. */
  list(bucket: number): number {
    return this.#row.listBucket(this.#max, this.#scale, bucket);
  }

  /** How many steps the likeliest candidate lies below the largest logit. */
  leastSteps(): number {
    const bucket = this.findMass(this.low, 1);
    if (bucket === 0) return 0;
    const { list } = this.#row;
    let least = Infinity;
    for (let i = this.list(bucket) - 1; i >= 0; i--) least = Math.min(least, list[i] as number);
    return least;
  }

  /**
   * Where in the list of a bucket, which it makes, candidate `index` is: in the order of ids where all of the bucket's tokens
   * are left, else from the likeliest on.
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
