/**
 * The duration of a step: some milliseconds for decoding, and some for each row of a prompt. An extended Kalman filter
 * estimates both logarithms (Kalman 1960). A step's duration updates both, each by its part of the step and by its
 * uncertainty. A slower machine changes both alike, and the ratio of a row's cost to decoding is kept.
 */

/** A row's cost as a part of decoding, before any measurement; both are then known to a factor e. */
const UNKNOWN_ROW = 0.1;
const UNKNOWN = 1;
/**
 * Standard deviations, as parts: of a step's duration around its prediction, and of the machine's speed from step to
 * step, …
 */
const NOISE = 0.06;
const PACE_CHANGE = 0.03;
/** … of a row's cost beside that, from chunk to chunk: it grows with the text and differs by number of rows, … */
const ROW_CHANGE = 0.15;
/** … and of decoding when sequences join or leave. */
const OTHERS = 0.5;
/** Surprises are cut off at this many standard deviations: a disturbed step shows only that it was slow. */
const SURPRISE = 3;

/** Learns from the times of steps. Milliseconds. */
export class StepTimes {
  /** Logarithms of milliseconds: of all decoding, and of a prompt's row. */
  #decode = 0;
  #row = 0;
  /** Their variances and covariance. */
  #decodeVariance = UNKNOWN ** 2;
  #rowVariance = UNKNOWN ** 2;
  #covariance = 0;
  #decodeRows: number | undefined;
  #isDecodeTimed = false;
  #isRowTimed = false;

  /** Whether a step with decoding was timed, and one with prompt rows. */
  get isKnown(): boolean {
    return this.#isDecodeTimed && this.#isRowTimed;
  }

  /** Duration of decoding. */
  get decodeMs(): number {
    return Math.exp(this.#decode);
  }

  /** Duration of a prompt's row. */
  get rowMs(): number {
    return Math.exp(this.#row);
  }

  /** The predicted duration of a step with `decodeRows` and prompts of this cost in rows. */
  expectedMs(decodeRows: number, promptRows: number): number {
    return Math.min(decodeRows, 1) * this.decodeMs + promptRows * this.rowMs;
  }

  /**
   * Updates from a step with `decodeRows` and prompts of this cost that took `elapsedMs`; a step too short for the
   * clock is ignored.
   */
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
    // With the updated estimates: a row that costs next to nothing has shown little of itself.
    const after = this.#spread(decodeRows, promptRows);
    this.#decodeVariance -= after.ofDecode ** 2 / after.variance;
    this.#rowVariance -= after.ofRow ** 2 / after.variance;
    this.#covariance -= (after.ofDecode * after.ofRow) / after.variance;
  }

  /** The variance of a step's logarithm, and its covariance with both estimates. */
  #spread(decodeRows: number, promptRows: number): { variance: number; ofDecode: number; ofRow: number } {
    const part = this.expectedMs(decodeRows, 0) / this.expectedMs(decodeRows, promptRows);
    const ofDecode = this.#decodeVariance * part + this.#covariance * (1 - part);
    const ofRow = this.#covariance * part + this.#rowVariance * (1 - part);
    return { variance: ofDecode * part + ofRow * (1 - part) + NOISE ** 2, ofDecode, ofRow };
  }

  /** Adds the uncertainty of a further step. */
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
