/**
 * Whether a step runs on the whole team or on its coordinator alone. A step's result is the same bits either way, so
 * the choice is free, and it is measured, not assumed: two threads halve a step on an idle machine, and on a busy one
 * each barrier may wait for a thread that is not running.
 */

/** Narrow steps try both. Wider ones are bound by arithmetic, and a try alone would take twice as long. */
const MAX_TRIED_ROWS = 8;
/** Tries that follow one another, and times that are remembered of each kind: their median forgives two bad ones. */
const BURST = 5;
/** Steps that alternate between bursts at first: JavaScript is slow until it is compiled, which a first burst would blame on its kind. */
const FIRST_STEPS = 8 * BURST;
/** Then the slower is tried again for one burst in so many steps, for the machine may have become quiet or busy. */
const RETRY_EVERY = 256;
/** Wide steps with the team that say together that it waits too long. */
const WIDE_BURST = 3;
/** Wide steps alone before the team is tried again: so many at first, twice as many each time it was no better, up to the last. */
const WIDE_ALONE = { first: 8, last: 64 } as const;

/** How long a step took, and how much of that its coordinator waited for the team. */
export interface StepTime {
  readonly elapsedMs: number;
  readonly waitedMs: number;
}

/** Learns from the times of past steps. One for each device. */
export class ThreadChoice {
  readonly #narrow = Array.from({ length: MAX_TRIED_ROWS + 1 }, () => new TriedChoice());
  readonly #wide: WaitingChoice;

  constructor(threads: number) {
    this.#wide = new WaitingChoice(threads);
  }

  /** Whether the next step of `rows` should use the team. */
  useTeam(rows: number): boolean {
    return (this.#narrow[rows] ?? this.#wide).useTeam();
  }

  /** Says how long that step took. */
  learn(rows: number, team: boolean, time: StepTime): void {
    (this.#narrow[rows] ?? this.#wide).learn(team, time);
  }
}

/** Tries both kinds and takes the faster. For steps of one number of rows. */
class TriedChoice {
  #steps = 0;
  /** The last times of each kind, in milliseconds. */
  readonly #aloneMs: number[] = [];
  readonly #teamMs: number[] = [];

  useTeam(): boolean {
    if (this.#steps < FIRST_STEPS) return Math.floor(this.#steps / BURST) % 2 === 0;
    const teamIsFaster = median(this.#teamMs) <= median(this.#aloneMs);
    return this.#steps % RETRY_EVERY < BURST ? !teamIsFaster : teamIsFaster;
  }

  learn(team: boolean, { elapsedMs }: StepTime): void {
    const times = team ? this.#teamMs : this.#aloneMs;
    times.push(elapsedMs);
    if (times.length > BURST) times.shift();
    this.#steps++;
  }
}

/**
 * Uses the team unless its coordinator waits so long for it that it would be done alone by then: its own share of the work
 * is what it did not wait, and the whole is that for each thread.
 */
class WaitingChoice {
  readonly #worthWaiting: number;
  /** Parts of the last steps with the team that were waiting. */
  #waits: number[] = [];
  #aloneLeft = 0;
  #aloneNext: number = WIDE_ALONE.first;

  constructor(threads: number) {
    this.#worthWaiting = 1 - 1 / threads;
  }

  useTeam(): boolean {
    return this.#aloneLeft === 0;
  }

  learn(team: boolean, { elapsedMs, waitedMs }: StepTime): void {
    if (!team) {
      this.#aloneLeft--;
      return;
    }
    this.#waits.push(waitedMs / elapsedMs);
    if (this.#waits.length < WIDE_BURST) return;
    const isSlow = median(this.#waits) > this.#worthWaiting;
    this.#waits = [];
    this.#aloneLeft = isSlow ? this.#aloneNext : 0;
    this.#aloneNext = isSlow ? Math.min(2 * this.#aloneNext, WIDE_ALONE.last) : WIDE_ALONE.first;
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity;
}
