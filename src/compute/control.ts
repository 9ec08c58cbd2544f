/**
 * The words through which a team of threads meets. They lie in a shared Int32Array outside the banks, so that
 * whoever supervises the team can stop it while its threads compute or sleep.
 */

import { AppError } from '../base/index.js';

/** Words of the control block. */
const WORD = {
  /** Grows by one for each step that the team runs. */
  go: 0,
  /** 1: leave the loop. Also breaks every barrier. */
  stop: 1,
  rows: 2,
  logitRows: 3,
  arrived: 4,
  generation: 5,
  /** Threads asleep at the barrier, and at `go`: nobody is woken by a system call without need. */
  barrierSleepers: 6,
  goSleepers: 7,
} as const;

const CONTROL_WORDS = 16;

/**
 * Reads of a word before a thread sleeps: some 50 µs, longer than the gap between two passes, shorter than a futex
 * round trip on a busy machine (performance.md 5). Oversubscribed machines lose at most that much a barrier.
 */
const SPINS = 30_000;

/** How large a step is; the batch itself lies in the banks. */
export interface StepSize {
  rows: number;
  /** Rows whose logits are wanted. */
  logitRows: number;
}

/** Fresh memory for the control block of a team. */
export function createControlMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(CONTROL_WORDS * 4);
}

/** The meeting point of one team of `threads`. Each thread opens its own over the same memory. */
export class Control {
  readonly words: Int32Array;
  readonly threads: number;
  #waitedMs = 0;

  constructor(memory: SharedArrayBuffer, threads: number) {
    this.words = new Int32Array(memory);
    this.threads = threads;
  }

  /** Milliseconds that this thread has waited for others, in all. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Coordinator: starts a step on all threads; each of them takes part, or the next start could overtake it. */
  start(step: StepSize): void {
    const { words } = this;
    words[WORD.rows] = step.rows;
    words[WORD.logitRows] = step.logitRows;
    Atomics.add(words, WORD.go, 1);
    if (Atomics.load(words, WORD.goSleepers) > 0) Atomics.notify(words, WORD.go);
  }

  /** Worker: waits for the step after `last` and reads its size; undefined when the team is stopped. */
  next(last: number, into: StepSize): number | undefined {
    const { words } = this;
    if (!this.#changed(WORD.go, last, WORD.goSleepers)) return undefined;
    into.rows = words[WORD.rows] as number;
    into.logitRows = words[WORD.logitRows] as number;
    return last + 1;
  }

  /** Returns when every thread has called it; what they stored before is visible after. Errors: `compute_stopped`. */
  barrier(): void {
    const { words } = this;
    const generation = Atomics.load(words, WORD.generation);
    if (Atomics.add(words, WORD.arrived, 1) === this.threads - 1) {
      Atomics.store(words, WORD.arrived, 0);
      Atomics.add(words, WORD.generation, 1);
      if (Atomics.load(words, WORD.barrierSleepers) > 0) Atomics.notify(words, WORD.generation);
      return;
    }
    if (!this.#changed(WORD.generation, generation, WORD.barrierSleepers)) {
      throw new AppError('compute_stopped', 'the compute team was stopped in the middle of a step');
    }
  }

  /** Ends the loops of all threads and breaks their barriers. */
  stop(): void {
    Atomics.store(this.words, WORD.stop, 1);
    Atomics.notify(this.words, WORD.go);
    Atomics.notify(this.words, WORD.generation);
  }

  /** Waits until `word` is no longer `seen`; false when the team was stopped. */
  #changed(word: number, seen: number, sleepers: number): boolean {
    if (Atomics.load(this.words, word) !== seen) return true;
    const start = performance.now();
    const hasChanged = this.#wait(word, seen, sleepers);
    this.#waitedMs += performance.now() - start;
    return hasChanged;
  }

  /** Spins, then sleeps. */
  #wait(word: number, seen: number, sleepers: number): boolean {
    const { words } = this;
    for (let i = 0; i < SPINS; i++) {
      if (Atomics.load(words, word) !== seen) return true;
    }
    Atomics.add(words, sleepers, 1);
    try {
      while (Atomics.load(words, word) === seen) {
        if (Atomics.load(words, WORD.stop) !== 0) return false;
        Atomics.wait(words, word, seen, SLEEP_SLICE_MS);
      }
      return true;
    } finally {
      Atomics.sub(words, sleepers, 1);
    }
  }
}

/** A sleeper looks at the stop word this often, in case its wake-up came between the look and the sleep. */
const SLEEP_SLICE_MS = 1000;
