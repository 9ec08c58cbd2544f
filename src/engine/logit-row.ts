import { AppError } from '../base/index.js';

/**
 * Logits that share one remembered maximum: whole blocks of light tokens are then passed over unread. In longer blocks
 * fewer logits are a new maximum, which the processor does not foresee; measured, 256 is where that stops to matter.
 */
export const ROW_BLOCK = 256;

/** The largest f32. */
const MAX_FLOAT = 3.4028234663852886e38;

/** One row of logits, copied only when it is changed, with the largest of each block. Reused from step to step. */
export class LogitRow {
  /** f32 [vocabSize]: the model's own, or the copy with the changes. */
  values: Float32Array;
  readonly #copy: Float32Array;
  readonly #blockMax: Float32Array;
  #raw: Float32Array;
  #allowed: Uint32Array | undefined;
  #max = -Infinity;
  #isRead = false;

  constructor(vocabSize: number) {
    this.#blockMax = new Float32Array(Math.ceil(vocabSize / ROW_BLOCK));
    this.#copy = new Float32Array(vocabSize);
    this.#raw = this.#copy;
    this.values = this.#copy;
  }

  /** Another row. `logits`: f32 [vocabSize], never written to. */
  reset(logits: Float32Array): void {
    this.#raw = logits;
    this.values = logits;
    this.#allowed = undefined;
    this.#isRead = false;
  }

  /** Changes a logit. A value too large for f32 becomes the largest. */
  set(id: number, value: number): void {
    this.#write()[id] = value > MAX_FLOAT && value !== Infinity ? MAX_FLOAT : value;
  }

  /** Bans every token whose bit is 0: bit `id % 32` of word `id / 32`. */
  allowOnly(allowed: Uint32Array): void {
    this.#allowed = allowed;
    const logits = this.#write();
    for (let word = 0; word * 32 < logits.length; word++) {
      const bits = allowed[word] as number;
      if (bits === 0xffff_ffff) continue;
      const to = Math.min(word * 32 + 32, logits.length);
      for (let id = word * 32; id < to; id++) if (((bits >>> (id & 31)) & 1) === 0) logits[id] = -Infinity;
    }
  }

  /**
   * The largest value. Where biases have banned everything that is allowed, they are taken back.
   * Errors: `numeric_failure` for NaN, for +Infinity, and where there is nothing but −Infinity.
   */
  get max(): number {
    this.#read();
    return this.#max;
  }

  /** The largest value of each block: f32 [ceil(vocabSize / ROW_BLOCK)]. Errors: as `max`. */
  get blockMax(): Float32Array {
    this.#read();
    return this.#blockMax;
  }

  /** The lowest id of the largest value. */
  get best(): number {
    const { max } = this;
    return this.values.indexOf(max, this.blockMax.indexOf(max) * ROW_BLOCK);
  }

  /** Reads the row, once after each change. */
  #read(): void {
    if (this.#isRead) return;
    this.#max = readMaxima(this.values, this.#blockMax);
    if (this.#max === -Infinity && this.values === this.#copy) {
      this.#copy.set(this.#raw);
      if (this.#allowed !== undefined) this.allowOnly(this.#allowed);
      this.#max = readMaxima(this.values, this.#blockMax);
    }
    if (this.#max === -Infinity) throw notFinite();
    this.#isRead = true;
  }

  /** The copy, which is no longer as it was read. */
  #write(): Float32Array {
    this.#isRead = false;
    if (this.values !== this.#copy) this.#copy.set(this.#raw);
    this.values = this.#copy;
    return this.#copy;
  }
}

/** Writes the largest of each block and returns that of all. Errors: `numeric_failure`. */
function readMaxima(logits: Float32Array, blockMax: Float32Array): number {
  let max = -Infinity;
  for (let block = 0; block < blockMax.length; block++) {
    const to = Math.min((block + 1) * ROW_BLOCK, logits.length);
    let i = block * ROW_BLOCK;
    let largest = -Infinity;
    // Asked this way round, NaN is met where a new maximum is, which is seldom.
    for (; i + 3 < to; i += 4) {
      const a = logits[i] as number;
      if (!(a <= largest)) largest = finite(a);
      const b = logits[i + 1] as number;
      if (!(b <= largest)) largest = finite(b);
      const c = logits[i + 2] as number;
      if (!(c <= largest)) largest = finite(c);
      const d = logits[i + 3] as number;
      if (!(d <= largest)) largest = finite(d);
    }
    for (; i < to; i++) if (!((logits[i] as number) <= largest)) largest = finite(logits[i] as number);
    blockMax[block] = largest;
    if (largest > max) max = largest;
  }
  return max;
}

function finite(logit: number): number {
  if (logit < Infinity) return logit;
  throw notFinite();
}

function notFinite(): AppError {
  const message = 'the logits are not finite; the weights are broken or a kernel is: convert the model again';
  return new AppError('numeric_failure', message);
}
