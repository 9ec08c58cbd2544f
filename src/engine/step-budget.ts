/**
 * How many rows of prompts may join a step in which others decode: as many as keep the step within a bound of what it
 * takes without them, by what past steps took. So the chunk adapts to model, machine and load.
 */

/** A step with prompt rows may take this many times a step without: gaps stay under twice the median with room for noise. */
const STRETCH = 1.6;
/** Or this many milliseconds more, whichever is longer: below it nobody can tell. */
const UNNOTICED_MS = 4;
/** Rows tried while nothing is known. */
const FIRST_ROWS = 8;
/** Weight of the newest step in the running means: some five steps of memory. */
const NEWEST = 0.3;

/** Learns from the times of steps. Milliseconds. */
export class StepBudget {
  readonly #maxRows: number;
  #decodeMs: number | undefined;
  #promptRowMs: number | undefined;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Prompt rows that a step beside `decodeRows` may have. */
  promptRows(decodeRows: number): number {
    if (decodeRows === 0) return this.#maxRows;
    if (this.#decodeMs === undefined || this.#promptRowMs === undefined) return Math.min(FIRST_ROWS, this.#maxRows);
    const spareMs = Math.max(UNNOTICED_MS, this.#decodeMs * (STRETCH - 1));
    return Math.min(this.#maxRows, Math.max(1, Math.floor(spareMs / this.#promptRowMs)));
  }

  /** A step of so many rows took `elapsedMs`. */
  learn(decodeRows: number, promptRows: number, elapsedMs: number): void {
    if (promptRows === 0) {
      this.#decodeMs = mean(this.#decodeMs, elapsedMs);
      return;
    }
    if (decodeRows > 0 && this.#decodeMs === undefined && this.#promptRowMs !== undefined) {
      // Nothing but mixed steps so far: what the prompt's rows do not explain is the others'.
      this.#decodeMs = Math.max(0, elapsedMs - promptRows * this.#promptRowMs);
      return;
    }
    const ownMs = Math.max(0, elapsedMs - (decodeRows > 0 ? (this.#decodeMs ?? 0) : 0));
    this.#promptRowMs = mean(this.#promptRowMs, ownMs / promptRows);
  }
}

function mean(known: number | undefined, newest: number): number {
  return known === undefined ? newest : known * (1 - NEWEST) + newest * NEWEST;
}
