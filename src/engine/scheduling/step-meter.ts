/** Gauges of the engine's pace. */
export interface PaceStats {
  /** Completion tokens of the last second. */
  readonly tokensPerSecond: number;
  /** Mean milliseconds of a step, weighted towards the newest; 0 before the first. */
  readonly stepMs: number;
}

/** The last second in pieces, so that old counts leave a piece at a time. */
const PIECES = 10;
const PIECE_MS = 100;
/** Weight of the newest step in the running mean. */
const NEWEST = 0.1;

/** Measures an engine's steps. */
export class StepMeter {
  readonly #tokens = new Float64Array(PIECES);
  /** The piece of time of each count: milliseconds / PIECE_MS. */
  readonly #times = new Float64Array(PIECES);
  #stepMs = 0;

  /** A step ended at `nowMs`, took `elapsedMs` and gave `tokens` completion tokens. */
  record(nowMs: number, elapsedMs: number, tokens: number): void {
    const time = Math.floor(nowMs / PIECE_MS);
    const place = time % PIECES;
    if (this.#times[place] !== time) this.#tokens[place] = 0;
    this.#times[place] = time;
    this.#tokens[place] = (this.#tokens[place] as number) + tokens;
    this.#stepMs = this.#stepMs === 0 ? elapsedMs : this.#stepMs + NEWEST * (elapsedMs - this.#stepMs);
  }

  stats(nowMs: number): PaceStats {
    const oldest = Math.floor(nowMs / PIECE_MS) - PIECES;
    const recent = this.#tokens.filter((_, place) => (this.#times[place] as number) > oldest);
    return { tokensPerSecond: recent.reduce((sum, tokens) => sum + tokens, 0), stepMs: this.#stepMs };
  }
}
