/**
 * Whether a step runs on the whole team or on its coordinator alone. A step's result is the same bits either way, so
 * the choice is free, and it is measured, not assumed: two threads halve a step on an idle machine, and on a busy one
 * each barrier may wait for a thread that is not running.
 */

/** Steps of more rows always use the team: they are bound by arithmetic, and a try alone would take twice as long. */
const MAX_TRIED_ROWS = 8;
/** Tries that follow one another, and times that are remembered of each kind: their median forgives two bad ones. */
const BURST = 5;
/** Steps that alternate between bursts at first: JavaScript is slow until it is compiled, which a first burst would blame on its kind. */
const FIRST_STEPS = 8 * BURST;
/** Then the slower is tried again for one burst in so many steps, for the machine may have become quiet or busy. */
const RETRY_EVERY = 256;

/** What is known of steps of one number of rows. */
interface Record {
  steps: number;
  /** The last times of each kind, in milliseconds. */
  readonly aloneMs: number[];
  readonly teamMs: number[];
}

/** Learns from the times of past steps. One for each device. */
export class ThreadChoice {
  readonly #records: readonly Record[] = Array.from({ length: MAX_TRIED_ROWS + 1 }, () => ({
    steps: 0,
    aloneMs: [],
    teamMs: [],
  }));

  /** Whether the next step of `rows` should use the team. */
  useTeam(rows: number): boolean {
    const record = this.#records[rows];
    if (record === undefined) return true;
    const { steps, aloneMs, teamMs } = record;
    if (steps < FIRST_STEPS) return Math.floor(steps / BURST) % 2 === 0;
    const teamIsFaster = median(teamMs) <= median(aloneMs);
    return steps % RETRY_EVERY < BURST ? !teamIsFaster : teamIsFaster;
  }

  /** Says how long that step took. */
  learn(rows: number, team: boolean, elapsedMs: number): void {
    const record = this.#records[rows];
    if (record === undefined) return;
    const times = team ? record.teamMs : record.aloneMs;
    times.push(elapsedMs);
    if (times.length > BURST) times.shift();
    record.steps++;
  }
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Infinity;
}
