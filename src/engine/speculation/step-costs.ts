/**
 * Costs of one sequence's steps by their number of rows. A scalar Kalman filter in logarithms (Kalman 1960): a step's
 * duration is the machine's speed times its rows' cost, and updates both, each by its uncertainty. So a slower machine
 * makes no number of rows look more expensive than another, and one disturbed step hardly counts.
 */

/** Assumed cost of each further row, as a part of a step of one row, before it was timed. */
const UNKNOWN_ROW = 0.25;
/** Standard deviations, as parts: of a step's duration around its prediction, of the speed from one step to the next, … */
const NOISE = 0.15;
const PACE_CHANGE = 0.1;
/** … of rows' cost while it is unknown, and from one step to the next, since it grows with the context. */
const UNKNOWN_COST = 0.25;
const COST_CHANGE = 0.003;
/** Surprises are cut off at this many standard deviations: a disturbed step shows only that it was slow. */
const SURPRISE = 2;
/** Costs are assumed lower by this many standard deviations, so that promising numbers of rows are tried. */
const OPTIMISM = 0.5;

/** A logarithm with the variance of its estimate. */
interface Estimate {
  mean: number;
  variance: number;
}

/** Costs of one sequence's steps by their rows, in steps of one row, estimated from recent ones. */
export class StepCosts {
  /** Of milliseconds of a step of one row; unknown before the first step. */
  #pace: Estimate | undefined;
  /** Of costs by rows. */
  readonly #costs = new Map<number, Estimate>();

  /** Whether a step was timed yet. */
  get isKnown(): boolean {
    return this.#pace !== undefined;
  }

  /** Updates from a step of `rows` that took `elapsedMs`; a step too short for the clock is ignored. */
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

  /** The cost of a step of `rows`, in steps of one row. */
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
