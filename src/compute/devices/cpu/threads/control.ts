/**
 * The shared words of a thread group. They lie in a shared Int32Array outside the segments, so that the supervisor can
 * stop the group while its threads compute or sleep.
 */

import { alignUp, AppError, type Clock, systemClock } from '../../../../base/index.js';
import { WorkChunks } from './work-chunks.js';
import { SHARED_ARGUMENTS } from '../logits/row-kernels.js';

/** Words that all threads share. */
const WORD = {
  /** 1: leave the loop. Also breaks every barrier. */
  stop: 0,
  rows: 1,
  logitRows: 2,
  threads: 3,
  ops: 4,
  arrived: 5,
  generation: 6,
  /** Threads asleep at the barrier; without any, no system call is made. */
  barrierSleepers: 7,
  /** A shared kernel of the sampler, by its number, or NO_KERNEL: a step. */
  kernel: 8,
  /** Threads of the thread group. */
  threadGroup: 9,
} as const;

/** Words of each thread but the coordinator: threads that a step leaves out sleep through it. */
const OWN_WORD = {
  /** Grows by one for each step that the thread takes part in. */
  go: 0,
  /** 1 while it sleeps. */
  sleepers: 1,
} as const;

/** A cache line, so that a thread's spinning disturbs no other. The shared words are the coordinator's line. */
const LINE_WORDS = 16;
const LINE_BYTES = LINE_WORDS * 4;

/**
 * Reads of a word before a thread sleeps, or at a barrier spends its spin budget too: some 50 µs, longer than the gap between
 * two fused ops, shorter than a futex round trip on a busy machine.
 */
const SPINS = 30_000;

/** Reads of a word between two looks at the clock. */
const SPINS_A_LOOK = 1000;

/** How large a step is; the batch itself lies in the segments. */
export interface StepSize {
  rows: number;
  /** Rows whose logits are wanted. */
  logitRows: number;
}

/** A step and its distribution among threads. */
export interface ThreadGroupStep extends StepSize {
  /** The first so many threads of the thread group. */
  threads: number;
  /** The first so many fused ops; `ALL_OPS` unless it is only measured. */
  ops: number;
}

/** The thread group's next work. */
export interface ThreadGroupTask extends ThreadGroupStep {
  /** A shared kernel of the sampler, by its number, on so many threads; `NO_KERNEL`: a step. */
  kernel: number;
}

/** The thread group is to run a step. */
export const NO_KERNEL = -1;

/** More ops than any graph has. */
export const ALL_OPS = 2 ** 31 - 1;

/** Fresh memory for the control block of a thread group of `threads`. */
export function createControlMemory(threads: number): SharedArrayBuffer {
  // A line for each thread, one for the work chunks, one for a kernel's arguments, and a number of each thread.
  const memory = new SharedArrayBuffer(alignUp((threads + 2) * LINE_BYTES + threads * 8, LINE_BYTES));
  new Int32Array(memory)[WORD.threadGroup] = threads;
  return memory;
}

/** The meeting point of one thread group. Each thread opens its own over the same memory; the coordinator is thread 0. */
export class Control {
  readonly words: Int32Array;
  /** The work of the fused op that runs. */
  readonly workChunks: WorkChunks;
  /** Arguments of a shared kernel, written by the coordinator. f64 [SHARED_ARGUMENTS] */
  readonly args: Float64Array;
  /** The result of each thread's part. f64 [threads] */
  readonly results: Float64Array;
  readonly #own: number;
  #waitedMs = 0;
  readonly #clock: Clock;
  readonly #spinBudget: SpinBudget;

  constructor(memory: SharedArrayBuffer, thread = 0, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#spinBudget = new SpinBudget(clock.nowMs());
    this.words = new Int32Array(memory);
    const { threads } = this;
    this.workChunks = new WorkChunks(new Int32Array(memory, threads * LINE_BYTES, 1));
    this.args = new Float64Array(memory, (threads + 1) * LINE_BYTES, SHARED_ARGUMENTS);
    this.results = new Float64Array(memory, (threads + 2) * LINE_BYTES, threads);
    this.#own = thread * LINE_WORDS;
  }

  /** How many threads the thread group has. */
  get threads(): number {
    return this.words[WORD.threadGroup] as number;
  }

  /** Milliseconds that this thread has waited for others, in all. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Coordinator: starts a step on the first threads; each of them takes part, or the next start could overtake it. */
  start(step: ThreadGroupStep): void {
    const { words } = this;
    words[WORD.kernel] = NO_KERNEL;
    words[WORD.rows] = step.rows;
    words[WORD.logitRows] = step.logitRows;
    words[WORD.ops] = step.ops;
    this.#go(step.threads);
  }

  /** Coordinator: starts a shared kernel on the first threads; its arguments are written. Ends with a barrier, like a step. */
  startKernel(kernel: number, threads: number): void {
    this.words[WORD.kernel] = kernel;
    this.#go(threads);
  }

  #go(threads: number): void {
    const { words } = this;
    words[WORD.threads] = threads;
    for (let thread = 1; thread < threads; thread++) {
      const own = thread * LINE_WORDS;
      Atomics.add(words, own + OWN_WORD.go, 1);
      if (Atomics.load(words, own + OWN_WORD.sleepers) > 0) Atomics.notify(words, own + OWN_WORD.go);
    }
  }

  /** Worker: waits for the next step or kernel that it takes part in, `last` steps after its first; undefined when stopped. */
  next(last: number, into: ThreadGroupTask): number | undefined {
    const own = this.#own;
    if (!this.#changed(own + OWN_WORD.go, last, own + OWN_WORD.sleepers)) return undefined;
    const { words } = this;
    into.kernel = words[WORD.kernel] as number;
    into.rows = words[WORD.rows] as number;
    into.logitRows = words[WORD.logitRows] as number;
    into.threads = words[WORD.threads] as number;
    into.ops = words[WORD.ops] as number;
    return last + 1;
  }

  /**
   * Returns when every thread of the step has called it. Earlier stores are then visible to all, and no work chunk is
   * taken. Errors: `compute_stopped`.
   */
  barrier(): void {
    const { words } = this;
    const generation = Atomics.load(words, WORD.generation);
    if (Atomics.add(words, WORD.arrived, 1) === (words[WORD.threads] as number) - 1) {
      Atomics.store(words, WORD.arrived, 0);
      this.workChunks.reset();
      Atomics.add(words, WORD.generation, 1);
      if (Atomics.load(words, WORD.barrierSleepers) > 0) Atomics.notify(words, WORD.generation);
      return;
    }
    if (!this.#changed(WORD.generation, generation, WORD.barrierSleepers)) {
      throw new AppError('compute_stopped', 'the compute thread group was stopped in the middle of a step');
    }
  }

  /** Ends the loops of all threads and breaks their barriers. */
  stop(): void {
    Atomics.store(this.words, WORD.stop, 1);
    Atomics.notify(this.words, WORD.generation);
    for (let thread = 1; thread < this.threads; thread++) {
      Atomics.notify(this.words, thread * LINE_WORDS + OWN_WORD.go);
    }
  }

  /** Waits until `word` is no longer `seen`; false when the thread group was stopped. */
  #changed(word: number, seen: number, sleepers: number): boolean {
    if (Atomics.load(this.words, word) !== seen) return true;
    const start = this.#clock.nowMs();
    const hasChanged = this.#spin(word, seen) || this.#persist(word, seen) || this.#sleep(word, seen, sleepers);
    this.#waitedMs += this.#clock.nowMs() - start;
    return hasChanged;
  }

  /** Reads `word` for a while: whether it has changed. */
  #spin(word: number, seen: number): boolean {
    const { words } = this;
    for (let i = 0; i < SPINS; i++) {
      if (Atomics.load(words, word) !== seen) return true;
    }
    return false;
  }

  /** At a barrier, reads `word` until it has changed or the spin budget is spent. */
  #persist(word: number, seen: number): boolean {
    if (word !== WORD.generation) return false;
    const { words } = this;
    const start = this.#clock.nowMs();
    const end = start + this.#spinBudget.leftAt(start);
    let now = start;
    let hasChanged = false;
    while (now < end && !hasChanged) {
      for (let i = 0; i < SPINS_A_LOOK && !hasChanged; i++) hasChanged = Atomics.load(words, word) !== seen;
      now = this.#clock.nowMs();
    }
    this.#spinBudget.spend(start, now);
    return hasChanged;
  }

  /** Sleeps until `word` is no longer `seen`; false when the thread group was stopped. */
  #sleep(word: number, seen: number, sleepers: number): boolean {
    const { words } = this;
    Atomics.add(words, sleepers, 1);
    try {
      while (Atomics.load(words, word) === seen) {
        // A thread that was released between these two loads, before the stop, did not stop there.
        if (Atomics.load(words, WORD.stop) !== 0) return Atomics.load(words, word) !== seen;
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

/**
 * How long a thread spins for a late one before it sleeps. A wait at a barrier beyond the gap between two fused ops
 * means that another thread lost its core for a moment. If the waiting thread slept, the kernel would often wake it on
 * the waker's core, because a virtual machine's halted core seems to be taken. Both then share one core for tens of
 * milliseconds while the other idles (bench/log/prefill-decode.md, 'Threads').
 * With more threads than cores, spinning keeps others
 * from working. So the budget is earned by time, and no more than that is lost.
 */
const MOST_MS = 8;
/** Part of the time that goes by. */
const EARNED = 0.05;

/** The spin budget of one thread. Times are milliseconds of one clock. */
export class SpinBudget {
  #leftMs = MOST_MS;
  #atMs: number;

  constructor(nowMs: number) {
    this.#atMs = nowMs;
  }

  /** How long the thread may spin at `nowMs`. */
  leftAt(nowMs: number): number {
    return Math.min(MOST_MS, this.#leftMs + (nowMs - this.#atMs) * EARNED);
  }

  /** The thread has spun from `startMs` to `endMs`. */
  spend(startMs: number, endMs: number): void {
    this.#leftMs = Math.max(0, this.leftAt(startMs) - (endMs - startMs));
    this.#atMs = endMs;
  }
}
