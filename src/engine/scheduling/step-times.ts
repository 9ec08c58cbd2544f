/**
 * What a step takes: some milliseconds for those who decode, and some for each row of a prompt, as an extended Kalman
 * filter of both logarithms (Kalman 1960). A step's time tells of both, of each by its part of the step and by how
 * uncertain it was. A machine that becomes slower changes both alike, and what rows cost beside those who decode is kept.
 */

/** A row's part of what those who decode take, before any was timed; both are known to a factor e of it then. */
const UNKNOWN_ROW = 0.1;
const UNKNOWN = 1;
/** Standard deviations, as parts: of a step's time around what is expected, and of the machine's pace from step to step, … */
const NOISE = 0.06;
const PACE_CHANGE = 0.03;
/** … of what a row takes beside that, from chunk to chunk: more behind a longer text, and not the same in each number of rows, … */
const ROW_CHANGE = 0.15;
/** … and of what those who decode take when others join or leave them. */
const OTHERS = 0.5;
/** Surprises are cut off at so many standard deviations: a step that was disturbed says no more than that it was slow. */
const SURPRISE = 3;

/** Learns from the times of steps. Milliseconds. */
export class StepTimes {
  /** Logarithms of milliseconds: of all that decode, and of a prompt's row. */
  #decode = 0;
  #row = 0;
  /** Their variances and covariance. */
  #decodeVariance = UNKNOWN ** 2;
  #rowVariance = UNKNOWN ** 2;
  #covariance = 0;
  #decodeRows: number | undefined;
  #isDecodeTimed = false;
  #isRowTimed = false;

  /** Whether a step was timed in which some decoded, and one in which a prompt had rows. */
  get isKnown(): boolean {
    return this.#isDecodeTimed && this.#isRowTimed;
  }

  /** What those who decode take. */
  get decodeMs(): number {
    return Math.exp(this.#decode);
  }

  /** What a prompt's row takes. */
  get rowMs(): number {
    return Math.exp(this.#row);
  }

  /** What a step of `decodeRows` and of prompts that cost so many rows is expected to take. */
  expectedMs(decodeRows: number, promptRows: number): number {
    return Math.min(decodeRows, 1) * this.decodeMs + promptRows * this.rowMs;
  }

  /** A step of `decodeRows` and of prompts that cost so many rows took `elapsedMs`; one too short for the clock says nothing. */
  learn(decodeRows: number, promptRows: number, elapsedMs: number): void {
    if (elapsedMs <= 0 || decodeRows + promptRows === 0) return;
    if (!this.#isDecodeTimed && !this.#isRowTimed) {
      this.#decode = Math.log(elapsedMs / (Math.min(decodeRows, 1) + promptRows * UNKNOWN_ROW));
      this.#row = this.#decode + Math.log(UNKNOWN_ROW);
    }
    this.#forget(decodeRows, promptRows);
    const before = this.#spread(decodeRows, promptRows);
    const limit = SURPRISE * Math.sqrt(before.variance);
    const surprise = Math.log(elapsedMs / this.expectedMs(decodeRows, promptRows));
    const counted = Math.min(Math.max(surprise, -limit), limit) / before.variance;
    this.#decode += before.ofDecode * counted;
    this.#row += before.ofRow * counted;
    // By what is known now: a row that costs next to nothing has told little of itself.
    const after = this.#spread(decodeRows, promptRows);
    this.#decodeVariance -= after.ofDecode ** 2 / after.variance;
    this.#rowVariance -= after.ofRow ** 2 / after.variance;
    this.#covariance -= (after.ofDecode * after.ofRow) / after.variance;
  }

  /** The variance of a step's logarithm, and its covariance with both that it tells of. */
  #spread(decodeRows: number, promptRows: number): { variance: number; ofDecode: number; ofRow: number } {
    const part = this.expectedMs(decodeRows, 0) / this.expectedMs(decodeRows, promptRows);
    const ofDecode = this.#decodeVariance * part + this.#covariance * (1 - part);
    const ofRow = this.#covariance * part + this.#rowVariance * (1 - part);
    return { variance: ofDecode * part + ofRow * (1 - part) + NOISE ** 2, ofDecode, ofRow };
  }

  /** What was known is less certain now. */
  #forget(decodeRows: number, promptRows: number): void {
    this.#decodeVariance += PACE_CHANGE ** 2;
    this.#rowVariance += PACE_CHANGE ** 2;
    this.#covariance += PACE_CHANGE ** 2;
    if (promptRows > 0) {
      this.#rowVariance += ROW_CHANGE ** 2;
      this.#isRowTimed = true;
    }
    if (decodeRows > 0) {
      if (this.#isDecodeTimed && decodeRows !== this.#decodeRows) this.#decodeVariance += OTHERS ** 2;
      this.#decodeRows = decodeRows;
      this.#isDecodeTimed = true;
    }
  }
}
