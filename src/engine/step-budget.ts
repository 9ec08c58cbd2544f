/**
 * How many rows of prompts may join a step in which others decode: as many as keep the step within a bound of what it
 * takes without them, by what past steps took. So the chunk adapts to model, machine and load.
 */

import { RecentMedian } from './recent-median.js';

/** A step with prompt rows may take this many times a step without: gaps stay under twice the median with room for noise. */
const STRETCH = 1.3;
/** Or this many milliseconds more, whichever is longer: below it nobody can tell, and one stream may not hold prompts up for it. */
const UNNOTICED_MS = 12;
/** Rows tried while nothing is known. */
const FIRST_ROWS = 8;
/** Steps without prompt rows that are remembered. */
const DECODE_STEPS = 7;
/** One in so many steps of those who decode leaves prompts out, to see what it takes without them now. */
const LOOK_EVERY = 16;
/** Steps with prompt rows that are remembered: fewer, for rows cost more the further a prompt has come. */
const PROMPT_STEPS = 5;

/** Learns from the times of steps. Milliseconds. */
export class StepBudget {
  readonly #maxRows: number;
  readonly #decodeMs = new RecentMedian(DECODE_STEPS);
  readonly #promptRowMs = new RecentMedian(PROMPT_STEPS);
  /** Steps with decoding and prompt rows since the last without prompt rows. */
  #mixedSteps = 0;
  #lastPromptRows = FIRST_ROWS;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Prompt rows that a step beside `decodeRows` may have. */
  promptRows(decodeRows: number): number {
    if (decodeRows === 0) return this.#maxRows;
    if (this.#mixedSteps >= LOOK_EVERY) return 0;
    const decodeMs = this.#decodeMs.value;
    const promptRowMs = this.#promptRowMs.value;
    if (decodeMs === undefined || promptRowMs === undefined) return Math.min(FIRST_ROWS, this.#maxRows);
    const spareMs = Math.max(UNNOTICED_MS, decodeMs * (STRETCH - 1));
    // What rows cost is only known near what was tried.
    const most = Math.min(this.#maxRows, 2 * this.#lastPromptRows);
    return Math.min(most, Math.max(1, Math.floor(spareMs / promptRowMs)));
  }

  /** A step of so many rows took `elapsedMs`. */
  learn(decodeRows: number, promptRows: number, elapsedMs: number): void {
    if (promptRows === 0) {
      this.#decodeMs.add(elapsedMs);
      this.#mixedSteps = 0;
      return;
    }
    if (decodeRows > 0) {
      this.#mixedSteps++;
      this.#lastPromptRows = promptRows;
    }
    const decodeMs = this.#decodeMs.value;
    const promptRowMs = this.#promptRowMs.value;
    if (decodeRows > 0 && decodeMs === undefined && promptRowMs !== undefined) {
      // Nothing but mixed steps so far: what the prompt's rows do not explain is the others'.
      this.#decodeMs.add(Math.max(0, elapsedMs - promptRows * promptRowMs));
      return;
    }
    const ownMs = elapsedMs - (decodeRows > 0 ? (decodeMs ?? 0) : 0);
    // A step that takes less with a prompt than without tells that the machine has changed, not what rows cost.
    if (ownMs > 0) this.#promptRowMs.add(ownMs / promptRows);
  }
}
