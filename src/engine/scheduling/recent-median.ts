import { median } from '../../base/index.js';

/** The median of the last numbers, which a few outliers cannot move. */
export class RecentMedian {
  readonly #size: number;
  readonly #numbers: number[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  add(number: number): void {
    this.#numbers.push(number);
    if (this.#numbers.length > this.#size) this.#numbers.shift();
  }

  /** Undefined before the first. */
  get value(): number | undefined {
    return this.#numbers.length === 0 ? undefined : median(this.#numbers);
  }
}
