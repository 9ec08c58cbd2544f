import { WINDOWS, windowStart, type Window } from '../window.js';

/** What was used of one unit in the window of each kind that is open. */
export type Sums = Record<Window, bigint>;

/** What a key used and holds. Held is the sum of its open holds, whatever the window. */
export interface Amounts {
  readonly used: Sums;
  held: bigint;
}

/** Nothing used, nothing held. */
export function noAmounts(): Amounts {
  return { used: { day: 0n, week: 0n, month: 0n, total: 0n }, held: 0n };
}

/** Counts `amount` in every window. */
export function addUsed({ used }: Amounts, amount: bigint): void {
  for (const window of WINDOWS) used[window] += amount;
}

/** Empties the windows that another day closes. */
export function moveTo({ used }: Amounts, fromDay: number, day: number): void {
  for (const window of WINDOWS) {
    if (windowStart(window, fromDay) !== windowStart(window, day)) used[window] = 0n;
  }
}
