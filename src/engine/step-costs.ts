/** Times that are remembered of steps of one number of rows: the fastest of them forgives those that were disturbed. */
const REMEMBERED = 8;
/** Steps after which a time is forgotten: the machine may have become quiet, and code fast. */
const FORGOTTEN_AFTER = 256;
/** What each further row is taken to cost, as a part of a step of one row, while nothing is known of it. */
const UNKNOWN_ROW = 0.25;

interface Sample {
  readonly step: number;
  readonly elapsedMs: number;
}

/** What steps of one sequence cost, by their rows, as far as recent ones tell. */
export class StepCosts {
  readonly #samples = new Map<number, Sample[]>();
  #step = 0;

  /** A step of `rows` took `elapsedMs`. */
  learn(rows: number, elapsedMs: number): void {
    const samples = this.#samples.get(rows) ?? [];
    this.#samples.set(rows, samples);
    samples.push({ step: ++this.#step, elapsedMs });
    if (samples.length > REMEMBERED) samples.shift();
  }

  /** Milliseconds of a step of `rows`, those of one row being `singleMs`. */
  estimate(rows: number, singleMs: number): number {
    return this.#fastest(rows) ?? singleMs * (1 + UNKNOWN_ROW * (rows - 1));
  }

  /** Milliseconds of a step of one row; undefined while none is known. */
  get singleMs(): number | undefined {
    return this.#fastest(1);
  }

  #fastest(rows: number): number | undefined {
    let fastest: number | undefined;
    for (const { step, elapsedMs } of this.#samples.get(rows) ?? []) {
      const isKnown = rows === 1 || this.#step - step < FORGOTTEN_AFTER;
      if (isKnown && (fastest === undefined || elapsedMs < fastest)) fastest = elapsedMs;
    }
    return fastest;
  }
}
