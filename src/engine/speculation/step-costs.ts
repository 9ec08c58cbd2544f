/**
 * What steps of one sequence cost by their rows, as a scalar Kalman filter in logarithms (Kalman 1960): a step's time is
 * the machine's pace times its rows' cost, and tells of both, of each as much as it was uncertain. So a machine that
 * becomes slower makes no number of rows look dearer than another, and one disturbed step hardly counts.
 */

/** What each further row is taken to cost, as a part of a step of one row, before steps with it were timed. */
const UNKNOWN_ROW = 0.25;
/** Standard deviations, as parts: of a step's time around what is expected, of the pace from one step to the next, … */
const NOISE = 0.15;
const PACE_CHANGE = 0.1;
/** … of rows' cost while it is unknown, and from one step to the next, since it grows with the context. */
const UNKNOWN_COST = 0.25;
const COST_CHANGE = 0.003;
/** Surprises are cut off at so many standard deviations: a step that was disturbed says no more than that it was slow. */
const SURPRISE = 2;
/** Costs are taken to be lower by so many standard deviations: a number of rows that may be worth it is tried. */
const OPTIMISM = 0.5;

/** A logarithm that is known with some variance. */
interface Estimate {
  mean: number;
  variance: number;
}

/** What steps of one sequence cost by their rows, in steps of one row, as far as recent ones tell. */
export class StepCosts {
  /** Of milliseconds of a step of one row; unknown before the first step. */
  #pace: Estimate | undefined;
  /** Of costs by rows. */
  readonly #costs = new Map<number, Estimate>();

  /** Whether a step was timed yet. */
  get isKnown(): boolean {
    return this.#pace !== undefined;
  }

  /** A step of `rows` took `elapsedMs`; one too short for the clock says nothing. */
  learn(rows: number, elapsedMs: number): void {
    if (elapsedMs <= 0) return;
    const cost = this.#costOf(rows);
    const time = Math.log(elapsedMs);
    if (this.#pace === undefined) {
      this.#pace = { mean: time - cost.mean, variance: cost.variance + NOISE ** 2 };
      return;
    }
    for (const [known, estimate] of this.#costs) if (known !== 1) estimate.variance += COST_CHANGE ** 2;
    this.#pace.variance += PACE_CHANGE ** 2;
    const variance = this.#pace.variance + cost.variance + NOISE ** 2;
    const limit = SURPRISE * Math.sqrt(variance);
    const surprise = Math.min(Math.max(time - this.#pace.mean - cost.mean, -limit), limit);
    for (const estimate of [this.#pace, cost]) {
      const gain = estimate.variance / variance;
      estimate.mean += gain * surprise;
      estimate.variance *= 1 - gain;
    }
  }

  /** What a step of `rows` costs, in steps of one row. */
  of(rows: number): number {
    const { mean, variance } = this.#costOf(rows);
    return Math.exp(mean - OPTIMISM * Math.sqrt(variance));
  }

  #costOf(rows: number): Estimate {
    const known = this.#costs.get(rows);
    if (known !== undefined) return known;
    const variance = rows === 1 ? 0 : UNKNOWN_COST ** 2;
    const unknown = { mean: Math.log(1 + UNKNOWN_ROW * (rows - 1)), variance };
    this.#costs.set(rows, unknown);
    return unknown;
  }
}
