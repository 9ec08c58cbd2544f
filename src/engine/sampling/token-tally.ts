/**
 * Number of occurrences of tokens in a stretch of text. Reused from step to step: counting costs the stretch, not the
 * vocabulary.
 */
export class TokenTally {
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
