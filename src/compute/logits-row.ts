/**
 * One row of logits as the sampler works on it: it may be changed, cut into blocks of tokens, and counted into buckets by
 * how far below the largest logit a token lies. Whoever gives a row decides where it lies and how many threads do its work;
 * the results have the same bits for any number of them. `createRow` gives one over plain memory of this process, which
 * fits every device whose logits come to it.
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
  /** f64 [buckets]: what the tokens of each bucket weigh together; valid as far as `fillBuckets` says. */
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
  /** What all tokens weigh together, one of the logit `max` 2^33; `scale`: halvings a logit. Summed in the order of blocks. */
  blockMasses(max: number, scale: number): number;
  /**
   * Counts tokens by how many steps they lie below `max`, but for blocks without a logit of `floor`; `scale`: steps a
   * logit. Returns how many weigh something, and the end of the buckets that are not empty.
   */
  fillBuckets(max: number, scale: number, floor: number): { tokens: number; end: number };
  /** Lists a bucket's tokens: `ids` in their order, and in `list` their steps. Returns how many there are. */
  listBucket(max: number, scale: number, bucket: number): number;
  /** What a token weighs that lies so many halvings below the largest. */
  weightOf(halvings: number): number;
  /** What the buckets [from, to) weigh together. */
  massBetween(from: number, to: number): number;
  /** The sum over the buckets [from, to) of what each weighs times its number. */
  momentBetween(from: number, to: number): number;
  /** The bucket of the n-th of all counted tokens, the likeliest first. Then `before` is how many come before it. */
  cutCounts(n: number): number;
  /**
   * The bucket with which those of [low, high) nearest to `middle` weigh `target`, of two equally near ones the lower first;
   * −1 where all do not. Then `before` is what those before it weigh.
   */
  cutAround(middle: number, low: number, high: number, target: number): number;
  /** What comes before the bucket that was found last. */
  readonly before: number;
}
