import { AppError } from '../../base/index.js';
import type { LogitsRow } from '../../compute/index.js';
import { nthLargest } from './select.js';

/** The largest f32. */
const MAX_FLOAT = 3.4028234663852886e38;

/** A copy of one row of logits, which may be changed, with cached facts about it. Reused from step to step. */
export class LogitRow {
  readonly #row: LogitsRow;
  #raw: Float32Array;
  #allowed: Uint32Array | undefined;
  #max = -Infinity;
  #isChanged = false;
  #isRead = false;

  constructor(row: LogitsRow) {
    this.#row = row;
    this.#raw = row.values;
  }

  /** Starts with another row. `logits`: f32 [vocabSize], only read. */
  reset(logits: Float32Array): void {
    this.#raw = logits;
    this.#allowed = undefined;
    this.#max = this.#row.load(logits);
    this.#isChanged = false;
    this.#isRead = true;
  }

  get vocabSize(): number {
    return this.#row.vocabSize;
  }

  /** The logit of a token. */
  get(id: number): number {
    return this.#row.values[id] as number;
  }

  /** Changes a logit. A value too large for f32 becomes the largest, unless the logit itself was not finite. */
  set(id: number, value: number): void {
    this.#row.own();
    this.#isChanged = true;
    this.#isRead = false;
    this.#row.values[id] = value > MAX_FLOAT && this.get(id) !== Infinity ? MAX_FLOAT : value;
  }

  /** Bans every token whose bit is 0 or absent: bit `id % 32` of word `id / 32`. */
  allowOnly(allowed: Uint32Array): void {
    const { allowed: words } = this.#row;
    this.#allowed = allowed;
    this.#isRead = false;
    words.set(allowed.subarray(0, words.length));
    words.fill(0, allowed.length);
    this.#row.own();
    this.#row.allow();
  }

  /**
   * The largest value. Where biases have banned every allowed token, they are undone. Errors: `numeric_failure` for
   * NaN, for +Infinity, and where all is −Infinity.
   */
  get max(): number {
    if (!this.#isRead) this.#max = this.#row.maxima();
    if (this.#max === -Infinity && this.#isChanged) {
      const allowed = this.#allowed;
      this.reset(this.#raw);
      if (allowed !== undefined) {
        this.allowOnly(allowed);
        this.#max = this.#row.maxima();
      }
    }
    if (!(this.#max > -Infinity)) throw notFinite();
    this.#isRead = true;
    return this.#max;
  }

  /** The lowest id of the largest value. Errors: as `max`. */
  get best(): number {
    const { max } = this;
    const { values, blockMax, blockSize } = this.#row;
    return values.indexOf(max, blockMax.indexOf(max) * blockSize);
  }

  /**
   * A lower bound that at least `count` tokens reach: the count-th largest maximum of blocks. It lies little below the
   * count-th largest logit; −Infinity with too few blocks. Errors: as `max`.
   */
  reachedBy(count: number): number {
    const { max } = this;
    const { blockMax, order } = this.#row;
    if (count <= 1) return max;
    if (count > blockMax.length) return -Infinity;
    order.set(blockMax);
    return nthLargest(order, blockMax.length, count).value;
  }

  /** The ids of the `count` largest logits, the largest first, of equal ones the lowest id. Errors: as `max`. */
  top(count: number): number[] {
    const limit = this.reachedBy(count);
    const { ids, list } = this.#row;
    const numLikely = this.#row.listAtLeast(limit);
    const last = nthLargest(list, numLikely, Math.min(count, numLikely));
    const kept: number[] = [];
    let ties = count - last.above;
    for (let i = 0; i < numLikely; i++) {
      const id = ids[i] as number;
      const logit = this.get(id);
      if (logit > last.value || (logit === last.value && ties-- > 0)) kept.push(id);
    }
    return kept.toSorted((a, b) => this.get(b) - this.get(a));
  }
}

function notFinite(): AppError {
  const message = 'the logits are not finite; the weights are broken or a kernel is: convert the model again';
  return new AppError('numeric_failure', message);
}
