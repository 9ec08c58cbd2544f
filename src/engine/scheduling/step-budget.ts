/**
 * How many rows of prompts may join a step in which others decode: as many as keep the step within a bound of what steps
 * took before the prompt came, by what past steps took. So the chunk adapts to model, machine and load; and as those who
 * decode become slower with their contexts, a long prompt that began in large chunks ends in small ones, but goes on.
 */

import { RecentMedian } from './recent-median.js';
import { StepTimes } from './step-times.js';

/** A step with prompt rows may take this many times a step before they came, at most, and at least where steps are disturbed. */
const STRETCH = { most: 1.55, least: 1.25 } as const;
/**
 * 99 steps in 100 are to stay within this many times, so that they stay within twice where the machine's pace changes: what a
 * step may take grows a little after each, and falls by 99 times as much after one beyond.
 */
const BOUND = 1.7;
const GROWTH = 0.0005;
/** Or this many milliseconds more, whichever is longer: below it nobody can tell, and one stream may not hold prompts up for it. */
const UNNOTICED_MS = 12;
/**
 * Where those who decode stay slower than before, whatever slows them, a prompt may still make a step this many times what
 * they take: else it would stand still beside them on a machine that has become slow. That they were slow in most of their
 * last steps without a prompt says that they stay so.
 */
const FAIR = 1.3;
const LAST_STEPS = 5;
/** Kernels take so many rows at once ... */
const TILE_ROWS = 4;
/** ... and begin the next so many with what so many rows cost: a chunk of one row may take two thirds of a chunk of four. */
const TILE_COST = 2;
/** Rows tried while nothing is known. */
const FIRST_ROWS = 8;
/** Steps before a prompt came that are remembered. */
const STEPS_BEFORE = 15;
/** One in so many steps of those who decode leaves prompts out, to see what it takes without them now. */
const LOOK_EVERY = 16;

/** Learns from the times of steps. Milliseconds. */
export class StepBudget {
  readonly #maxRows: number;
  readonly #times = new StepTimes();
  /** What steps of so many decoding rows alone took. */
  #alone = stepsAlone(0);
  /** Steps with decoding and prompt rows since the last without prompt rows. */
  #mixedSteps = 0;
  #lastPromptRows = FIRST_ROWS;
  #stretch: number = STRETCH.most;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Prompt rows that a step beside `decodeRows` may have. */
  promptRows(decodeRows: number): number {
    if (decodeRows === 0) return this.#maxRows;
    if (this.#mixedSteps >= LOOK_EVERY) return 0;
    if (!this.#times.isKnown) return Math.min(FIRST_ROWS, this.#maxRows);
    const { decodeMs, rowMs } = this.#times;
    const alone = this.#alone.rows === decodeRows ? this.#alone : undefined;
    const beforeMs = Math.min(alone?.before.value ?? decodeMs, decodeMs);
    const lastMs = Math.min(alone?.last.value ?? decodeMs, decodeMs);
    const stepMs = Math.max(beforeMs + UNNOTICED_MS, beforeMs * this.#stretch, lastMs * FAIR);
    // What rows cost is only known near what was tried.
    const most = Math.min(this.#maxRows, 2 * this.#lastPromptRows);
    let rows = 1;
    while (rows < most && decodeMs + rowsAndTiles(decodeRows, rows + 1) * rowMs <= stepMs) rows++;
    return rows;
  }

  /** A step of so many rows took `elapsedMs`. */
  learn(decodeRows: number, promptRows: number, elapsedMs: number): void {
    const cost = rowsAndTiles(decodeRows, promptRows);
    const expectedMs = this.#times.expectedMs(decodeRows, cost);
    this.#times.learn(decodeRows, cost, elapsedMs);
    if (promptRows === 0) {
      this.#learnAlone(decodeRows, elapsedMs);
      this.#mixedSteps = 0;
    } else if (decodeRows > 0) {
      this.#mixedSteps++;
      this.#lastPromptRows = promptRows;
      this.#adjust(decodeRows, expectedMs, elapsedMs);
    }
  }

  #learnAlone(decodeRows: number, elapsedMs: number): void {
    const isAnother = this.#alone.rows !== decodeRows;
    if (isAnother) this.#alone = stepsAlone(decodeRows);
    this.#alone.last.add(elapsedMs);
    // Between steps with a prompt, one without tells only what they take now.
    if (isAnother || this.#mixedSteps === 0) this.#alone.before.add(elapsedMs);
  }

  /**
   * Allows less where more steps than one in a hundred are beyond the bound, whatever disturbs them. One that was expected
   * there, since those who decode have become slower, is none of them.
   */
  #adjust(decodeRows: number, expectedMs: number, elapsedMs: number): void {
    const beforeMs = this.#alone.before.value;
    if (this.#alone.rows !== decodeRows || beforeMs === undefined) return;
    const boundMs = Math.max(BOUND * beforeMs, beforeMs + UNNOTICED_MS);
    if (expectedMs > boundMs) return;
    const next = this.#stretch + (elapsedMs > boundMs ? -99 : 1) * GROWTH;
    this.#stretch = Math.min(STRETCH.most, Math.max(STRETCH.least, next));
  }
}

/** Times of steps in which so many decode and no prompt has rows, none yet: before prompts joined them, and the last of all. */
function stepsAlone(rows: number) {
  return { rows, before: new RecentMedian(STEPS_BEFORE), last: new RecentMedian(LAST_STEPS) };
}

/** Rows that `promptRows` cost beside `decodeRows`: they themselves, and the tiles that are begun for them. Alone they are many. */
function rowsAndTiles(decodeRows: number, promptRows: number): number {
  if (decodeRows === 0) return promptRows;
  const tiles = Math.ceil((decodeRows + promptRows) / TILE_ROWS) - Math.ceil(decodeRows / TILE_ROWS);
  return promptRows + TILE_COST * tiles;
}
