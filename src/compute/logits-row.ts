/**
 * One row of logits in the sampler's form: it may be changed, cut into blocks of tokens, and counted into buckets by
 * the distance below the largest logit. Its creator decides about memory and threads; the results have the same bits
 * for any number of threads. `createRow` makes one over plain memory of this process, for every device whose logits are
 * copied to it.
 */
export interface LogitsRow {
  readonly vocabSize: number;
  /** Tokens of one block. */
  readonly blockSize: number;
  /** Buckets of a halving of the weight. */
  readonly stepsAHalving: number;
  /** f32 [vocabSize] or more: the logits. Before they are written to, `own` must have been called. */
  readonly values: Float32Array;
  /** [size], a list of tokens that a call gives out: ids, and a number of each. `size`: the vocabulary in whole blocks. */
  readonly ids: Int32Array;
  readonly list: Float32Array;
  /** f32 [size]: scratch for ordering the list. u32 [size / 32], in the same place: the mask that `allow` reads. */
  readonly order: Float32Array;
  readonly allowed: Uint32Array;
  /** f32 [size / blockSize]: the largest logit of each block, since `load` or `maxima`. */
  readonly blockMax: Float32Array;
  /** f64 [buckets]: the weight of each bucket's tokens; valid as far as `fillBuckets` returns. */
  readonly masses: Float64Array;

  /** Another row, f32 [vocabSize], not written to; returns the largest logit, NaN where one is NaN or +Infinity. */
  load(logits: Float32Array): number;
  /** Makes sure that `values` is a copy. */
  own(): void;
  /** Bans every token whose bit in `allowed` is 0: bit `id % 32` of word `id / 32`. */
  allow(): void;
  /** The largest logit, with that of each block; NaN where one is NaN or +Infinity. */
  maxima(): number;
  /** Lists the tokens of a logit of `limit` at least: `ids`, and their logits in `list`. Returns how many there are. */
  listAtLeast(limit: number): number;
  /**
   * The weight of all tokens, where one of the logit `max` has 2^33; `scale`: halvings per logit. Summed in the order
   * of blocks.
   */
  blockMasses(max: number, scale: number): number;
  /**
   * Counts tokens by how many steps they lie below `max`, but for blocks without a logit of `floor`; `scale`: steps a
   * logit. Returns how many weigh something, and the end of the buckets that are not empty.
   */
  fillBuckets(max: number, scale: number, floor: number): { tokens: number; end: number };
  /** Lists a bucket's tokens: `ids` in their order, and in `list` their steps. Returns how many there are. */
  listBucket(max: number, scale: number, bucket: number): number;
  /** The weight of a token this many halvings below the largest. */
  weightOf(halvings: number): number;
  /** The weight of the buckets [from, to). */
  massBetween(from: number, to: number): number;
  /** The sum over the buckets [from, to) of what each weighs times its number. */
  momentBetween(from: number, to: number): number;
  /** The bucket of the n-th of all counted tokens, the likeliest first. Then `before` is how many come before it. */
  cutCounts(n: number): number;
  /**
   * The bucket at which the tokens of [low, high) nearest to `middle` reach the weight `target`. Of two equally near
   * ones the lower comes first; −1 if all together do not reach it. Sets `before` to the weight before it.
   */
  cutAround(middle: number, low: number, high: number, target: number): number;
  /** The number or weight before the bucket of the last search. */
  readonly before: number;
}

/** How a token is chosen from logits. */
export interface SampleRule {
  /** Whether it is the token of the largest logit, of equal ones the lowest id. A row with NaN or +Infinity goes to `choose`. */
  readonly isGreedy: boolean;
  /** Chooses in this process. logits: f32 [vocabSize], only read. Errors: its own. */
  choose(logits: Float32Array): number;
}
