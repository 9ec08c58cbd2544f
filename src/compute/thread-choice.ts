/**
 * How many threads of the team run a step. A step's result is the same bits whatever their number, so the choice is
 * free, and it is measured, not assumed: two threads halve a step on an idle machine; on a busy one each barrier may
 * wait for a thread that is not running; and where one thread reads memory as fast as memory gives, more only wait.
 * What was measured at load (calibrate.ts) is where it begins; steps teach it what has changed since.
 */

import { present } from '../base/index.js';
import type { BestThreads } from './calibrate.js';

/** Narrow steps try other sizes. Wider ones are bound by arithmetic, and a try with half the threads would take twice as long. */
const MAX_TRIED_ROWS = 8;
/** Tries that follow one another, and times that are remembered of each size: their median forgives two bad ones. */
const BURST = 5;
/** A try that takes so many times what steps take ends its burst: it is a gap that people see, on a busy machine sixty times as long. */
const HOPELESS = 1.4;
/** Steps after such a try, for each step's time that it took: tries cost a twentieth of the time at most. */
const STEPS_PER_COST = 20;
/** However much it took: some steps later the machine may be another. */
const MAX_PAUSE = 4096;
/**
 * Steps from one burst of tries to the next: few at first and while tries help, for JavaScript is slow until it is
 * compiled, which the first burst blames on its size; twice as many after each burst that was no better. What was
 * measured at load, or found when its size became slow, is believed for longer.
 */
const TRY_PAUSE = { first: BURST, known: 32, last: 256 } as const;
/** How many steps a narrow one counts for, in the pause before a try, when its coordinator waits too long. */
const WAITING_COUNTS = 8;
/** Wide steps that say together that their coordinator waits too long. */
const WIDE_BURST = 3;
/**
 * Fewer threads are better when they would take so much of the time: less than that is a disturbance that will pass, and a
 * step that takes twice as long without need is a gap that people see.
 */
const BETTER = 0.75;
/** Wide steps before a larger team is tried again: so many at first, twice as many each time it was no better, up to the last. */
const WIDE_PAUSE = { first: 3, last: 64 } as const;

/** How long a step took, and how much of that its coordinator waited for the team. */
export interface StepTime {
  readonly elapsedMs: number;
  readonly waitedMs: number;
}

/** Learns from the times of past steps. One for each device. */
export class ThreadChoice {
  readonly #sizes: readonly number[];
  #narrow: readonly TriedChoice[];
  #wide: WaitingChoice;

  /** `sizes`: how many threads a step may use, ascending; all of them at first. */
  constructor(sizes: readonly number[]) {
    this.#sizes = sizes;
    this.#narrow = triedChoices(sizes);
    this.#wide = new WaitingChoice(sizes);
  }

  /** Goes on from what was measured, and forgets what it learned. */
  begin(best: BestThreads): void {
    // One row reads memory; with two the arithmetic begins to tell.
    this.#narrow = triedChoices(this.#sizes, (rows) => (rows <= 1 ? best.narrow : best.wide));
    this.#wide = new WaitingChoice(this.#sizes, best.wide);
  }

  /** How many threads the next step of `rows` should use. */
  choose(rows: number): number {
    return (this.#narrow[rows] ?? this.#wide).choose();
  }

  /** Says how long that step took. */
  learn(rows: number, time: StepTime): void {
    (this.#narrow[rows] ?? this.#wide).learn(time);
  }
}

function triedChoices(sizes: readonly number[], best?: (rows: number) => number): TriedChoice[] {
  return Array.from({ length: MAX_TRIED_ROWS + 1 }, (_, rows) => new TriedChoice(sizes, best?.(rows)));
}

/** Tries the sizes beside its own, in turn, and goes where it is faster. For steps of one number of rows. */
class TriedChoice {
  readonly #sizes: readonly number[];
  /** The last times of each size, in milliseconds. */
  readonly #times: readonly number[][];
  #at: number;
  /** The size that is tried now. */
  #tried: number | undefined;
  #direction = -1;
  #pause: number;
  /** Steps until a try begins or ends. */
  #left: number;

  constructor(sizes: readonly number[], best?: number) {
    this.#sizes = sizes;
    this.#times = sizes.map(() => []);
    this.#at = best === undefined ? sizes.length - 1 : sizes.indexOf(best);
    this.#pause = best === undefined ? TRY_PAUSE.first : TRY_PAUSE.known;
    this.#left = this.#pause;
  }

  choose(): number {
    return present(this.#sizes[this.#tried ?? this.#at], 'a size of the team');
  }

  learn(time: StepTime): void {
    const { elapsedMs } = time;
    const times = present(this.#times[this.#tried ?? this.#at], 'times of each size');
    times.push(elapsedMs);
    if (times.length > BURST) times.shift();
    const isTooLong = this.#tried === undefined && leastBetter(this.#sizes, this.choose(), time) < this.choose();
    this.#left -= isTooLong ? WAITING_COUNTS : 1;
    if (this.#tried === undefined) {
      this.#moveTo(this.#fastestBeside(), TRY_PAUSE.known);
      if (this.#left <= 0) this.#beginTry();
      return;
    }
    const cost = elapsedMs / this.#medianOf(this.#at);
    if (this.#left === 0 || cost > HOPELESS) this.#endTry(this.#tried, cost);
  }

  #moveTo(to: number, pause: number): void {
    if (to === this.#at) return;
    this.#at = to;
    this.#left = this.#pause = pause;
  }

  /** Tries the next size in its direction; at the end of the list the only one that there is. */
  #beginTry(): void {
    const last = this.#sizes.length - 1;
    const next = this.#at + this.#direction;
    this.#tried = next < 0 ? Math.min(1, last) : next > last ? Math.max(0, last - 1) : next;
    this.#left = BURST;
  }

  /** Goes on in a direction that helped, and soon; turns where it did not, and waits for longer. */
  #endTry(tried: number, cost: number): void {
    this.#tried = undefined;
    if (this.#fastestBeside() === tried) {
      this.#direction = Math.sign(tried - this.#at);
      return this.#moveTo(tried, TRY_PAUSE.first);
    }
    this.#direction = -this.#direction;
    this.#pause = Math.min(2 * this.#pause, TRY_PAUSE.last);
    this.#left = cost > HOPELESS ? Math.min(Math.max(this.#pause, cost * STEPS_PER_COST), MAX_PAUSE) : this.#pause;
  }

  #medianOf(index: number): number {
    return median(this.#times[index] ?? []);
  }

  #fastestBeside(): number {
    return [this.#at - 1, this.#at + 1].reduce(
      (best, index) => (this.#medianOf(index) < this.#medianOf(best) ? index : best),
      this.#at,
    );
  }
}

/** Leaves threads out when their coordinator waits so long that fewer would be done by then, and tries more again later. */
class WaitingChoice {
  readonly #sizes: readonly number[];
  #at: number;
  /** The fewest threads that would have done as well in each of the last steps. */
  #least: number[] = [];
  #pauseLeft: number = WIDE_PAUSE.first;
  #pauseNext: number = WIDE_PAUSE.first;
  #hasGrown = false;

  constructor(sizes: readonly number[], best?: number) {
    this.#sizes = sizes;
    this.#at = best === undefined ? sizes.length - 1 : sizes.indexOf(best);
  }

  choose(): number {
    return present(this.#sizes[this.#at], 'a size of the team');
  }

  learn(time: StepTime): void {
    if (this.#at < this.#sizes.length - 1 && !this.#hasGrown && --this.#pauseLeft <= 0) return this.#grow();
    this.#least.push(leastBetter(this.#sizes, this.choose(), time));
    if (this.#least.length < WIDE_BURST) return;
    const least = median(this.#least);
    this.#least = [];
    if (least < this.choose()) this.#shrink(least);
    else if (this.#hasGrown) this.#settle();
  }

  #grow(): void {
    this.#at++;
    this.#least = [];
    this.#hasGrown = true;
  }

  /** Back to what it has grown from, which was good; else to the fewest, and up from there. */
  #shrink(least: number): void {
    this.#at = this.#hasGrown ? this.#at - 1 : this.#sizes.indexOf(least);
    this.#hasGrown = false;
    this.#pauseLeft = this.#pauseNext;
    this.#pauseNext = Math.min(2 * this.#pauseNext, WIDE_PAUSE.last);
  }

  /** The larger team is worth its waiting: a still larger one may be soon. */
  #settle(): void {
    this.#hasGrown = false;
    this.#pauseNext = WIDE_PAUSE.first;
    this.#pauseLeft = WIDE_PAUSE.first;
  }
}

/**
 * The fewest of `sizes` that would have done a step of `threads` as well, undisturbed: the coordinator's own share is
 * what it did not wait, and the whole is that for each thread.
 */
function leastBetter(sizes: readonly number[], threads: number, { elapsedMs, waitedMs }: StepTime): number {
  const wholeMs = (elapsedMs - waitedMs) * threads;
  return sizes.find((size) => size >= threads || wholeMs / size < BETTER * elapsedMs) ?? threads;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity;
}
