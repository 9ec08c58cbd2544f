/**
 * How many rows of prompts may join a step in which others decode. The step must stay within a bound of the steps
 * before the prompt came, predicted from past steps. So the chunk adapts to model, machine and load. As decoding slows
 * with longer contexts, a long prompt that began in large chunks ends in small ones, but goes on.
 */

import { StepTimes } from './step-times.js';
import { median } from '../../base/index.js';

/** Bounds of a step with prompt rows, as multiples of a step before they came; the lower one where steps are disturbed. */
const STRETCH = { most: 1.55, least: 1.25 } as const;
/**
 * 99 steps in 100 should stay within this multiple, so that they stay within twice where the machine's speed changes.
 * The allowed duration grows a little after each step, and falls by 99 times as much after one beyond.
 */
const BOUND = 1.7;
const GROWTH = 0.0005;
/**
 * Or this many milliseconds more, whichever is longer: shorter delays are not noticeable, and one stream should not
 * delay prompts for them.
 */
const UNNOTICED_MS = 12;
/**
 * Where decoding has become slower for good, a prompt may still stretch a step by this multiple: otherwise it would
 * stand still on a slow machine. It is slower for good when most of its last steps without a prompt were slow.
 */
const FAIR = 1.3;
const LAST_STEPS = 5;
/** Kernels take this many rows at once ... */
const TILE_ROWS = 4;
/**
 * ... and starting the next tile costs as much as this many rows: a chunk of one row may take two thirds of a chunk of
 * four.
 */
const TILE_COST = 2;
/** Rows of the first trial. */
const FIRST_ROWS = 8;
/** Number of remembered steps before a prompt came. */
const STEPS_BEFORE = 15;
/** One in this many decoding steps leaves prompts out, to measure decoding alone. */
const LOOK_EVERY = 16;

/** Learns from the times of steps. Milliseconds. */
export class StepBudget {
  readonly #maxRows: number;
  readonly #times = new StepTimes();
  /** Durations of steps with this many decoding rows and no prompt. */
  #alone = stepsAlone(0);
  /** Steps with decoding and prompt rows since the last step without prompt rows. */
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
    // The cost of rows is only known near tried numbers.
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
    // Between steps with a prompt, one without shows only the present duration.
    if (isAnother || this.#mixedSteps === 0) this.#alone.before.add(elapsedMs);
  }

  /**
   * Allows less where more than one step in a hundred exceeds the bound, for any reason. A step that was expected to
   * exceed it, since decoding has slowed, does not count.
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

/**
 * Durations of steps with this many decoding rows and no prompt rows, empty at first: before prompts joined, and the
 * last of all.
 */
function stepsAlone(rows: number) {
  return { rows, before: new RecentMedian(STEPS_BEFORE), last: new RecentMedian(LAST_STEPS) };
}

/**
 * Cost of `promptRows` beside `decodeRows`, in rows: the rows themselves, and the tiles that they start. Without
 * decoding rows, the tiles of many rows do not matter.
 */
function rowsAndTiles(decodeRows: number, promptRows: number): number {
  if (decodeRows === 0) return promptRows;
  const tiles = Math.ceil((decodeRows + promptRows) / TILE_ROWS) - Math.ceil(decodeRows / TILE_ROWS);
  return promptRows + TILE_COST * tiles;
}

/** The median of the last numbers, which a few outliers cannot move. */
class RecentMedian {
  readonly #size: number;
  readonly #numbers: number[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  add(number: number): void {
    this.#numbers.push(number);
    if (this.#numbers.length > this.#size) this.#numbers.shift();
  }

  /** Undefined before the first. */
  get value(): number | undefined {
    return this.#numbers.length === 0 ? undefined : median(this.#numbers);
  }
}
