import { assert } from '../base/index.js';

/**
 * The mean of a sequence's hidden states, summed in f64 in order of position. So its bits depend on the tokens alone,
 * not on their chunks. It outlives the sequence's blocks; states that are computed again after a preemption are the
 * same and not counted twice.
 */
export class MeanPool {
  #sum: Float64Array | undefined;
  #count = 0;

  /** Tokens so far: the first ones of the sequence. */
  get count(): number {
    return this.#count;
  }

  /** hidden: f32 [hiddenSize] of the token at `position`: the next one, or one that is already counted. */
  add(position: number, hidden: Float32Array): void {
    if (position < this.#count) return;
    assert(position === this.#count, 'hidden states come in order');
    const sum = (this.#sum ??= new Float64Array(hidden.length));
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (hidden[i] as number);
    this.#count++;
  }

  /** f32 [hiddenSize] */
  mean(): Float32Array {
    return Float32Array.from(this.#sum ?? [], (sum) => sum / this.#count);
  }
}
