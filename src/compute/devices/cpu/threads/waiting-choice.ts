import { median, present } from '../../../../base/index.js';
import { leastBetter, type StepTime } from './step-time.js';

/** Wide steps that say together that their coordinator waits too long. */
const WIDE_BURST = 3;
/** Wide steps before a larger thread group is tried again: so many at first, twice as many each time it was no better, up to the last. */
const WIDE_PAUSE = { first: 3, last: 64 } as const;

/** Leaves threads out when their coordinator waits so long that fewer would be done by then, and tries more again later. */
export class WaitingChoice {
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
    return present(this.#sizes[this.#at], 'a size of the thread group');
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

  /** Back to its former size, which was good; otherwise to the fewest, and up from there. */
  #shrink(least: number): void {
    this.#at = this.#hasGrown ? this.#at - 1 : this.#sizes.indexOf(least);
    this.#hasGrown = false;
    this.#pauseLeft = this.#pauseNext;
    this.#pauseNext = Math.min(2 * this.#pauseNext, WIDE_PAUSE.last);
  }

  /** The larger thread group is worth its waiting: a still larger one may be soon. */
  #settle(): void {
    this.#hasGrown = false;
    this.#pauseNext = WIDE_PAUSE.first;
    this.#pauseLeft = WIDE_PAUSE.first;
  }
}
