// What is done to measured numbers, here only, so that every table means the same by the same word.

import { present } from '../../src/base/index.js';

/** The middle value; of an even number of values the mean of the two in the middle. At least one value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = present(sorted[half], 'a measurement has at least one value');
  return sorted.length % 2 === 1 ? upper : (upper + present(sorted[half - 1], 'two values have a first')) / 2;
}

/** The value that `share` of them are below, 0 to 1; of share 1 the greatest. NaN where there is none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Half the distance between the first and the third quartile, as a share of the median: how far runs lie apart. */
export function spread(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    present(sorted[Math.round(share * (sorted.length - 1))], 'a measurement has at least one value');
  return (at(0.75) - at(0.25)) / 2 / median(values);
}

/**
 * The order of the contestants in round `round`. Each round begins with another one, and every second round goes backwards. So no
 * contestant always follows the same neighbour or always runs at the same time of a round.
 */
export function orderOfRound<T>(contestants: readonly T[], round: number): T[] {
  const first = round % Math.max(1, contestants.length);
  const turned = [...contestants.slice(first), ...contestants.slice(0, first)];
  return round % 2 === 0 ? turned : turned.toReversed();
}

/** `value` with `digits` significant digits, as a number: what a line of results is long enough with. */
export function significant(value: number, digits = 4): number {
  return Number(value.toPrecision(digits));
}
