/**
 * How many rows of prompts may join a step in which others decode: as many as keep the step within a bound of what it
 * takes without them, by what past steps took. So the chunk adapts to model, machine and load.
 */

import { RecentMedian } from './recent-median.js';

/** A step with prompt rows may take this many times a step without: gaps stay under twice the median with room for noise. */
const STRETCH = 1.4;
/** Or this many milliseconds more, whichever is longer: below it nobody can tell. */
const UNNOTICED_MS = 4;
/** Rows tried while nothing is known. */
const FIRST_ROWS = 8;
/** Steps without prompt rows that are remembered. They stand still while a long prompt is computed, so few may not spoil them. */
const DECODE_STEPS = 15;
/** Steps with prompt rows that are remembered: fewer, for rows cost more the further a prompt has come. */
const PROMPT_STEPS = 5;

/** Learns from the times of steps. Milliseconds. */
export class StepBudget {
  readonly #maxRows: number;
  readonly #decodeMs = new RecentMedian(DECODE_STEPS);
  readonly #promptRowMs = new RecentMedian(PROMPT_STEPS);

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Prompt rows that a step beside `decodeRows` may have. */
  promptRows(decodeRows: number): number {
    if (decodeRows === 0) return this.#maxRows;
    const decodeMs = this.#decodeMs.value;
    const promptRowMs = this.#promptRowMs.value;
    if (decodeMs === undefined || promptRowMs === undefined) return Math.min(FIRST_ROWS, this.#maxRows);
    const spareMs = Math.max(UNNOTICED_MS, decodeMs * (STRETCH - 1));
    return Math.min(this.#maxRows, Math.max(1, Math.floor(spareMs / promptRowMs)));
  }

  /** A step of so many rows took `elapsedMs`. */
  learn(decodeRows: number, promptRows: number, elapsedMs: number): void {
    if (promptRows === 0) {
      this.#decodeMs.add(elapsedMs);
      return;
    }
    const decodeMs = this.#decodeMs.value;
    const promptRowMs = this.#promptRowMs.value;
    if (decodeRows > 0 && decodeMs === undefined && promptRowMs !== undefined) {
      // Nothing but mixed steps so far: what the prompt's rows do not explain is the others'.
      this.#decodeMs.add(Math.max(0, elapsedMs - promptRows * promptRowMs));
      return;
    }
    const ownMs = Math.max(0, elapsedMs - (decodeRows > 0 ? (decodeMs ?? 0) : 0));
    this.#promptRowMs.add(ownMs / promptRows);
  }
}
