/**
 * How many threads of the thread group run a step. A step's result has the same bits for any number, so the number is
 * chosen by measurement. Two threads halve a step on an idle machine. On a busy one each barrier may wait for a thread
 * that is not running. Where one thread uses the whole memory bandwidth, more only wait. The choice starts from the
 * measurement at load (calibrate.ts) and adapts to the times of steps.
 */

import { present } from '../../../../base/index.js';
import type { BestThreads } from './calibrate.js';
import type { StepTime } from './step-time.js';
import { TriedChoice } from './tried-choice.js';
import { WaitingChoice } from './waiting-choice.js';

/** Narrow steps try other sizes. Wider ones are bound by arithmetic, and a try with half the threads would take twice as long. */
const MAX_TRIED_ROWS = 8;
/** For so many steps after one of a single row, what that has found holds for few rows too: draft tokens come between such steps. */
const ONE_HOLDS = 16;

/** Learns from the times of past steps. One for each device. */
export class ThreadChoice {
  readonly #sizes: readonly number[];
  #narrow: readonly TriedChoice[];
  #wide: WaitingChoice;
  #steps = 0;
  /** The last step of each number of few rows. */
  readonly #lastSteps: number[] = [];

  /** `sizes`: how many threads a step may use, ascending; all of them at first. */
  constructor(sizes: readonly number[]) {
    this.#sizes = sizes;
    this.#narrow = triedChoices(sizes);
    this.#wide = new WaitingChoice(sizes);
  }

  /** Starts from the measurement, and forgets the adaptation. */
  begin(best: BestThreads): void {
    // One row reads memory; with two the arithmetic begins to tell.
    this.#narrow = triedChoices(this.#sizes, (rows) => (rows <= 1 ? best.narrow : best.wide));
    this.#wide = new WaitingChoice(this.#sizes, best.wide);
  }

  /** How many threads the next step of `rows` should use. */
  choose(rows: number): number {
    const narrow = this.#narrow[rows];
    if (narrow === undefined) return this.#wide.choose();
    if (rows > 1) {
      // Of several rows there is more to share than of one: where a thread group is worth it for one, it is for them.
      const one = present(this.#narrow[1], 'one row has its choice');
      narrow.useAtLeast(this.#stepsSince(1) < ONE_HOLDS ? one.settled : 0);
    }
    return narrow.choose();
  }

  /** Records the duration of that step. */
  learn(rows: number, time: StepTime): void {
    this.#steps++;
    const narrow = this.#narrow[rows];
    if (narrow === undefined) return this.#wide.learn(time);
    const since = this.#stepsSince(rows);
    this.#lastSteps[rows] = this.#steps;
    narrow.learn(time, Number.isFinite(since) ? since : 1);
  }

  /** Steps since the last of so many rows; Infinity before the first. */
  #stepsSince(rows: number): number {
    return this.#steps - (this.#lastSteps[rows] ?? -Infinity);
  }
}

function triedChoices(sizes: readonly number[], best?: (rows: number) => number): TriedChoice[] {
  return Array.from({ length: MAX_TRIED_ROWS + 1 }, (_, rows) => new TriedChoice(sizes, best?.(rows)));
}
