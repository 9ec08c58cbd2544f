import { median, present } from '../../../../base/index.js';
import { leastBetter, type StepTime } from './step-time.js';

/** Tries that follow one another, and times that are remembered of each size: their median forgives two bad ones. */
const BURST = 5;
/** A try that takes so many times what steps take ends its burst: it is a gap that people see, on a busy machine sixty times as long. */
const HOPELESS = 1.4;
/** Steps after such a try, for each step's time that it took: tries cost a twentieth of the time at most, but for waking. */
const STEPS_PER_COST = 20;
/** However much it took: some steps later the machine may be another. */
const MAX_PAUSE = 4096;
/**
 * Steps from one burst of trials to the next. Few at first and while trials help: JavaScript is slow until it is
 * compiled, and the first burst attributes that to its size. Twice as many after each burst without an improvement. A
 * size that was measured at load, or found when its predecessor became slow, is kept longer.
 */
const TRY_PAUSE = { first: BURST, known: 32, last: 256 } as const;
/**
 * The first step with more threads wakes sleeping ones, which takes 0.05 to 0.3 ms here: as much as some models' steps.
 * An excess up to this says nothing about its size.
 */
const WAKING_MS = 0.4;
/** How many steps a narrow one counts for, in the pause before a try, when its coordinator waits too long. */
const WAITING_COUNTS = 8;

/** Tries the neighbouring sizes in turn, and moves to a faster one. For steps of one number of rows. */
export class TriedChoice {
  readonly #sizes: readonly number[];
  /** The last times of each size, in milliseconds. */
  readonly #times: readonly number[][];
  #at: number;
  /** The smallest size that may be used or tried. */
  #least = 0;
  /** The size that is tried now. */
  #tried: number | undefined;
  /** Whether the next step is the first of a larger size that is tried. */
  #isWaking = false;
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

  /** The place in the list of the size that it would use if it did not try another. */
  get settled(): number {
    return this.#at;
  }

  /** Leaves out the sizes before the place `least`. */
  useAtLeast(least: number): void {
    this.#least = least;
    if (this.#tried !== undefined && this.#tried < least) {
      this.#tried = undefined;
      this.#isWaking = false;
      this.#left = this.#pause;
    }
    if (this.#at < least) this.#moveTo(least, TRY_PAUSE.known);
  }

  choose(): number {
    return present(this.#sizes[this.#tried ?? this.#at], 'a size of the thread group');
  }

  /** `since`: steps of the device since the last that it chose for, that one included. */
  learn(time: StepTime, since = 1): void {
    const { elapsedMs } = time;
    const isWaking = this.#isWaking;
    this.#isWaking = false;
    if (isWaking && elapsedMs < this.#medianOf(this.#at) + WAKING_MS) return;
    const times = present(this.#times[this.#tried ?? this.#at], 'times of each size');
    times.push(elapsedMs);
    if (times.length > BURST) times.shift();
    const isTooLong = this.#tried === undefined && leastBetter(this.#sizes, this.choose(), time) < this.choose();
    // Where its steps are rare, a disturbance may be long over, and a trial of more threads costs little.
    const passed = this.#tried === undefined && this.#at === this.#least ? since : 1;
    this.#left -= isTooLong ? WAITING_COUNTS : passed;
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

  /** Tries the next size in its direction; at the end of the list the other neighbour, if there is one. */
  #beginTry(): void {
    const isSize = (index: number): boolean => index >= this.#least && index < this.#sizes.length;
    this.#tried = [this.#at + this.#direction, this.#at - this.#direction].find(isSize);
    this.#left = this.#tried === undefined ? this.#pause : BURST;
    this.#isWaking = this.#tried !== undefined && this.#tried > this.#at;
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
    return [this.#at - 1, this.#at + 1]
      .filter((index) => index >= this.#least)
      .reduce((best, index) => (this.#medianOf(index) < this.#medianOf(best) ? index : best), this.#at);
  }
}
