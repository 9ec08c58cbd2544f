/**
 * How many rows of prompts may join a step in which others decode: as many as keep the step within a bound of what steps
 * took before the prompt came, by what past steps took. So the chunk adapts to model, machine and load; and as those who
 * decode become slower with their contexts, a long prompt that began in large chunks ends in small ones.
 */

import { RecentMedian } from './recent-median.js';

/** A step with prompt rows may take this many times a step before they came, at most, and at least where steps are disturbed. */
const STRETCH = { most: 1.65, least: 1.4 } as const;
/**
 * 99 steps in 100 are to stay within this many times: so what a step may take grows a little after each, and falls by 99 times
 * as much after one beyond.
 */
const BOUND = 1.83;
const GROWTH = 0.0005;
/** Or this many milliseconds more, whichever is longer: below it nobody can tell, and one stream may not hold prompts up for it. */
const UNNOTICED_MS = 12;
/** Kernels take so many rows at once ... */
const TILE_ROWS = 4;
/** ... and begin the next so many with what so many rows cost: a chunk of one row may take two thirds of a chunk of four. */
const TILE_COST = 2;
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
  /** What a prompt's row costs, a tile begun for it counting as further rows. */
  readonly #rowMs = new RecentMedian(PROMPT_STEPS);
  /** What steps of so many decoding rows took before prompts joined them. */
  #before: { readonly rows: number; readonly ms: number } | undefined;
  /** Steps with decoding and prompt rows since the last without prompt rows. */
  #mixedSteps = 0;
  #lastPromptRows = FIRST_ROWS;
  #stretch: number = STRETCH.most;
  /** Steps in which what a row costs may still follow what has changed: they tell nothing of disturbances. */
  #followingSteps = 0;

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Prompt rows that a step beside `decodeRows` may have. */
  promptRows(decodeRows: number): number {
    if (decodeRows === 0) return this.#maxRows;
    if (this.#mixedSteps >= LOOK_EVERY) return 0;
    const decodeMs = this.#decodeMs.value;
    const rowMs = this.#rowMs.value;
    if (decodeMs === undefined || rowMs === undefined) return Math.min(FIRST_ROWS, this.#maxRows);
    const beforeMs = this.#before?.rows === decodeRows ? Math.min(this.#before.ms, decodeMs) : decodeMs;
    const spareMs = Math.max(UNNOTICED_MS, beforeMs * (this.#stretch - 1)) - (decodeMs - beforeMs);
    // What rows cost is only known near what was tried.
    const most = Math.min(this.#maxRows, 2 * this.#lastPromptRows);
    let rows = 1;
    while (rows < most && rowsAndTiles(decodeRows, rows + 1) * rowMs <= spareMs) rows++;
    return rows;
  }

  /** A step of so many rows took `elapsedMs`. */
  learn(decodeRows: number, promptRows: number, elapsedMs: number): void {
    if (promptRows === 0) {
      this.#decodeMs.add(elapsedMs);
      // Between steps with a prompt, one without tells only what they take now.
      if (this.#mixedSteps === 0 || this.#before?.rows !== decodeRows)
        this.#before = { rows: decodeRows, ms: this.#decodeMs.value ?? elapsedMs };
      this.#mixedSteps = 0;
      return;
    }
    if (decodeRows > 0) {
      this.#mixedSteps++;
      this.#lastPromptRows = promptRows;
      this.#adjust(decodeRows, elapsedMs);
    }
    const decodeMs = this.#decodeMs.value;
    const rowMs = this.#rowMs.value;
    const cost = rowsAndTiles(decodeRows, promptRows);
    if (decodeRows > 0 && decodeMs === undefined && rowMs !== undefined) {
      // Nothing but mixed steps so far: what the prompt's rows do not explain is the others'.
      this.#decodeMs.add(Math.max(0, elapsedMs - cost * rowMs));
      return;
    }
    const ownMs = elapsedMs - (decodeRows > 0 ? (decodeMs ?? 0) : 0);
    // A step that takes less with a prompt than without tells that the machine has changed, not what rows cost.
    if (ownMs > 0) this.#rowMs.add(ownMs / cost);
  }

  /** Allows less where more steps than one in a hundred are beyond the bound, whatever disturbs them. */
  #adjust(decodeRows: number, elapsedMs: number): void {
    const before = this.#before;
    if (before?.rows !== decodeRows) return;
    if (this.#followingSteps-- > 0) return;
    const isBeyond = elapsedMs > Math.max(BOUND * before.ms, before.ms + UNNOTICED_MS);
    this.#followingSteps = isBeyond ? PROMPT_STEPS : 0;
    const next = this.#stretch + (isBeyond ? -99 : 1) * GROWTH;
    this.#stretch = Math.min(STRETCH.most, Math.max(STRETCH.least, next));
  }
}

/** Rows that `promptRows` cost beside `decodeRows`: they themselves, and the tiles that are begun for them. Alone they are many. */
function rowsAndTiles(decodeRows: number, promptRows: number): number {
  if (decodeRows === 0) return promptRows;
  const tiles = Math.ceil((decodeRows + promptRows) / TILE_ROWS) - Math.ceil(decodeRows / TILE_ROWS);
  return promptRows + TILE_COST * tiles;
}
