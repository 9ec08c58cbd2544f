// The scale of a chart's values: their notation, and the distances of axis marks.
import type { Formats } from '../../data/index.js';

/** A kind of values. */
export interface ChartScale {
  readonly format: (value: number) => string;
  /** Possible distances between axis marks, ascending. `format` writes different texts for marks at these distances. */
  readonly steps: readonly number[];
}

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
/** The largest distance between marks of whole numbers is 5 × 10^14. */
const LARGEST_POWER = 14;

/** Whole numbers. */
export function countScale({ compact }: Formats): ChartScale {
  return { format: compact, steps: decimalSteps(0) };
}

/** Milliseconds. Marks of minutes and hours follow the clock. */
export function durationScale({ duration }: Formats): ChartScale {
  const clock = [
    ...[10, 15, 30].map((each) => each * SECOND),
    ...[1, 2, 5, 10, 15, 30].map((each) => each * MINUTE),
    ...[1, 2, 6, 12].map((each) => each * HOUR),
    ...[1, 2, 5, 10, 30].map((each) => each * DAY),
  ];
  return { format: duration, steps: [...decimalSteps(-1).filter((step) => step < 10 * SECOND), ...clock] };
}

/** Amounts of a currency, to a millionth. */
export function moneyScale({ money }: Formats, currency: string): ChartScale {
  return { format: (value) => money(value.toFixed(6), currency), steps: decimalSteps(-6) };
}

/** 1, 2 and 5 times each power of ten from `power` on. */
function decimalSteps(power: number): readonly number[] {
  const powers = Array.from({ length: LARGEST_POWER - power + 1 }, (_, i) => power + i);
  return powers.flatMap((each) => [1, 2, 5].map((digit) => Number(`${digit}e${each}`)));
}
