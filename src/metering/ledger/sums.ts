import { WINDOWS, windowStart, type Window } from '../window.js';

/** Usage of one unit in the open window of each kind. */
export type Sums = Record<Window, bigint>;

/** Numbers of one `Amounts`: usage in each window, then the held amount. */
const NUMBERS = WINDOWS.length + 1;
const HELD = WINDOWS.length;
const PLACES: Readonly<Record<Window, number>> = { day: 0, week: 1, month: 2, total: 3 };
/** Room that is made at first. */
const FIRST_ROOM = 64;

/**
 * The amounts of all keys in a row: as objects the amounts of 50,000 keys took 20 MB. Each number is below 2^63, as in
 * the database.
 */
export class AmountsTable {
  #numbers = new BigInt64Array(FIRST_ROOM * NUMBERS);
  #count = 0;

  /** Nothing used, nothing held. */
  open(): Amounts {
    const start = this.#count++ * NUMBERS;
    if (start === this.#numbers.length) {
      const larger = new BigInt64Array(2 * start);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    return new Amounts(this, start);
  }

  at(place: number): bigint {
    return this.#numbers[place] as bigint;
  }

  set(place: number, value: bigint): void {
    this.#numbers[place] = value;
  }

  /** Empties the windows that another day closes. */
  moveTo(fromDay: number, day: number): void {
    this.#empty(WINDOWS.filter((window) => windowStart(window, fromDay) !== windowStart(window, day)));
  }

  /** Empties all windows. */
  clearUsed(): void {
    this.#empty(WINDOWS);
  }

  #empty(windows: readonly Window[]): void {
    const places = windows.map((window) => PLACES[window]);
    for (let start = 0; start < this.#count * NUMBERS; start += NUMBERS) {
      for (const place of places) this.#numbers[start + place] = 0n;
    }
  }
}

/** Usage and holds of a key in one unit. The held amount is the sum of its open holds, whatever the window. */
export class Amounts {
  readonly #table: AmountsTable;
  readonly #start: number;

  constructor(table: AmountsTable, start: number) {
    this.#table = table;
    this.#start = start;
  }

  get held(): bigint {
    return this.#table.at(this.#start + HELD);
  }

  /** Adds `amount` to the held amount; a negative one takes away. */
  hold(amount: bigint): void {
    this.#table.set(this.#start + HELD, this.held + amount);
  }

  used(window: Window): bigint {
    return this.#table.at(this.#start + PLACES[window]);
  }

  /** Counts `amount` in every window. */
  addUsed(amount: bigint): void {
    for (const window of WINDOWS) this.#table.set(this.#start + PLACES[window], this.used(window) + amount);
  }

  setUsed(sums: Sums): void {
    for (const window of WINDOWS) this.#table.set(this.#start + PLACES[window], sums[window]);
  }
}
