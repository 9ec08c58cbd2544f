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
/** Steps that alternate between bursts at first: JavaScript is slow until it is compiled, which a first burst would blame on its size. */
const FIRST_STEPS = 8 * BURST;
/** Then a neighbouring size is tried for one burst in so many steps, for the machine may have become quiet or busy. */
const RETRY_EVERY = 256;
/** Wide steps that say together that their coordinator waits too long. */
const WIDE_BURST = 3;
/** Wide steps before a larger team is tried again: so many at first, twice as many each time it was no better, up to the last. */
const WIDE_PAUSE = { first: 8, last: 64 } as const;

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
    this.#narrow = triedChoices(this.#sizes, best.narrow);
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

function triedChoices(sizes: readonly number[], best?: number): TriedChoice[] {
  return Array.from({ length: MAX_TRIED_ROWS + 1 }, () => new TriedChoice(sizes, best));
}

/** Tries the sizes beside its own, in turn, and goes where it is faster. For steps of one number of rows. */
class TriedChoice {
  readonly #sizes: readonly number[];
  /** The last times of each size, in milliseconds. */
  readonly #times: readonly number[][];
  #steps: number;
  #at: number;
  #tried: number;
  #direction = -1;

  constructor(sizes: readonly number[], best?: number) {
    this.#sizes = sizes;
    this.#times = sizes.map(() => []);
    this.#at = best === undefined ? sizes.length - 1 : sizes.indexOf(best);
    this.#tried = this.#at;
    this.#steps = best === undefined ? 0 : FIRST_STEPS;
  }

  choose(): number {
    return present(this.#sizes[this.#isTry() ? this.#tried : this.#at], 'a size of the team');
  }

  learn({ elapsedMs }: StepTime): void {
    const wasTry = this.#isTry();
    const times = present(this.#times[wasTry ? this.#tried : this.#at], 'times of each size');
    times.push(elapsedMs);
    if (times.length > BURST) times.shift();
    this.#steps++;
    const isTry = this.#isTry();
    if (!isTry) this.#move(this.#fastestBeside(), wasTry);
    else if (!wasTry) this.#tried = this.#beside();
  }

  /** Goes on in a direction that helped, and turns where a try did not. */
  #move(to: number, wasTry: boolean): void {
    if (to !== this.#at) this.#direction = Math.sign(to - this.#at);
    else if (wasTry) this.#direction = -this.#direction;
    this.#at = to;
  }

  /** Whether the next step tries another size. */
  #isTry(): boolean {
    if (this.#steps < FIRST_STEPS) return Math.floor(this.#steps / BURST) % 2 === 1;
    return this.#steps % RETRY_EVERY < BURST;
  }

  /** The next size in its direction; at the end of the list the only one that there is. */
  #beside(): number {
    const last = this.#sizes.length - 1;
    const next = this.#at + this.#direction;
    return next < 0 ? Math.min(1, last) : next > last ? Math.max(0, last - 1) : next;
  }

  #fastestBeside(): number {
    const medianOf = (index: number): number => median(this.#times[index] ?? []);
    return [this.#at - 1, this.#at + 1].reduce(
      (best, index) => (medianOf(index) < medianOf(best) ? index : best),
      this.#at,
    );
  }
}

/**
 * Halves the team when its coordinator waits so long that half of it would be done by then: its own share of the work is
 * what it did not wait, and the whole is that for each thread. Tries a larger one again later.
 */
class WaitingChoice {
  readonly #sizes: readonly number[];
  #at: number;
  /** Parts of the last steps that were waiting. */
  #waits: number[] = [];
  #pauseLeft: number = WIDE_PAUSE.last;
  #pauseNext: number = WIDE_PAUSE.first;
  #hasGrown = false;

  constructor(sizes: readonly number[], best?: number) {
    this.#sizes = sizes;
    this.#at = best === undefined ? sizes.length - 1 : sizes.indexOf(best);
  }

  choose(): number {
    return present(this.#sizes[this.#at], 'a size of the team');
  }

  learn({ elapsedMs, waitedMs }: StepTime): void {
    if (this.#at < this.#sizes.length - 1 && !this.#hasGrown && --this.#pauseLeft <= 0) return this.#grow();
    this.#waits.push(waitedMs / elapsedMs);
    if (this.#waits.length < WIDE_BURST) return;
    const smaller = this.#sizes[this.#at - 1] ?? 0;
    const isSlow = median(this.#waits) > 1 - smaller / this.choose();
    this.#waits = [];
    if (isSlow) this.#shrink();
    else if (this.#hasGrown) this.#settle();
  }

  #grow(): void {
    this.#at++;
    this.#waits = [];
    this.#hasGrown = true;
  }

  #shrink(): void {
    this.#at--;
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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity;
}
