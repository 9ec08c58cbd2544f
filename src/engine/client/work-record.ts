/**
 * The engine's present work, in memory that outlives it: after a death or a hang it shows the affected sequences. The
 * engine writes, its client reads.
 */

import { median } from '../../base/index.js';

/** Words before the sequences of the work under way. */
const WORD = {
  /** Grows with every sign of life: the begin and the end of a piece of work, and each fused op of a step. */
  beats: 0,
  /** Sequences of the work under way; 0: none. */
  count: 1,
  /** Steps timed so far. */
  steps: 2,
  sequences: 4,
} as const;

/** Of each sequence: its id, its tokens. */
const SEQUENCE_WORDS = 2;
/** Number of kept step times, for the median. */
const TIMES = 64;

/** A sequence in the work under way. */
export interface WorkedSequence {
  readonly id: number;
  /** Tokens that it had when the work began, prompt and completion. */
  readonly numTokens: number;
}

/** Memory for the record of an engine with at most `maxSequences` in one step. */
export function createWorkMemory(maxSequences: number): SharedArrayBuffer {
  return new SharedArrayBuffer((WORD.sequences + maxSequences * SEQUENCE_WORDS + TIMES) * 4);
}

/** One end of the record: the engine's or its client's. */
export class WorkRecord {
  readonly #words: Int32Array;
  /** Milliseconds of the last steps, in no order. f32 [TIMES] */
  readonly #times: Float32Array;
  #isKept = false;

  constructor(memory: SharedArrayBuffer) {
    const wordsBytes = memory.byteLength - TIMES * 4;
    this.#words = new Int32Array(memory, 0, wordsBytes / 4);
    this.#times = new Float32Array(memory, wordsBytes, TIMES);
  }

  /** Engine: work on `sequences` begins. */
  begin(sequences: readonly WorkedSequence[]): void {
    if (this.#isKept) return;
    const words = this.#words;
    sequences.forEach(({ id, numTokens }, index) => {
      const at = WORD.sequences + index * SEQUENCE_WORDS;
      words[at] = id;
      words[at + 1] = numTokens;
    });
    Atomics.store(words, WORD.count, sequences.length);
    this.beat();
  }

  /** Engine: a sign of life in the middle of a piece of work. */
  beat(): void {
    Atomics.add(this.#words, WORD.beats, 1);
  }

  /** Engine: the work has ended; `stepMs` is its duration, where it was a step. */
  end(stepMs?: number): void {
    if (this.#isKept) return;
    const words = this.#words;
    if (stepMs !== undefined) {
      const step = words[WORD.steps] as number;
      this.#times[step % TIMES] = stepMs;
      words[WORD.steps] = (step + 1) % (TIMES * 2 ** 20) || TIMES;
    }
    Atomics.store(words, WORD.count, 0);
    this.beat();
  }

  /**
   * Engine: it dies of the work under way. Until its thread ends, other calls may still run on it: the record is no
   * longer theirs.
   */
  keep(): void {
    this.#isKept = true;
  }

  /** Client: a number that differs from the last one after a sign of life. */
  get beats(): number {
    return Atomics.load(this.#words, WORD.beats);
  }

  /** Client: the sequences of the work under way; none between pieces of work. */
  get underWay(): readonly WorkedSequence[] {
    const count = Atomics.load(this.#words, WORD.count);
    return Array.from({ length: count }, (_, index) => {
      const at = WORD.sequences + index * SEQUENCE_WORDS;
      return { id: this.#words[at] as number, numTokens: this.#words[at + 1] as number };
    });
  }

  /** Client: the median of the last steps' milliseconds; 0 before the first. */
  get medianStepMs(): number {
    const known = Math.min(TIMES, this.#words[WORD.steps] as number);
    return known === 0 ? 0 : median(Array.from(this.#times.subarray(0, known)));
  }

  /** Client: clears the work under way, because its engine has ended. */
  clear(): void {
    Atomics.store(this.#words, WORD.count, 0);
  }
}
