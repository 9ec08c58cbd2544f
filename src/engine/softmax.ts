/**
 * Softmax in whole numbers. The weight of a token is 2^35 × exp((logit − max) / temperature), rounded to an integer, so
 * that sums of weights are exact: no order of adding, and no shortcut that skips the weightless, can change a bit of
 * them. 2^35 is finer than the 32-bit random number that picks among them, and 2^18 tokens of it (Gemma's vocabulary) do not pass 2^53. A vocabulary beyond that, all of it as
 * likely as the likeliest, would lose the exactness, not the repeatability.
 */

/** The weight of the heaviest token. */
export const HEAVIEST = 2 ** 35;

/** Steps of the table in one halving: with the two terms below, exp is right to 4e-9 of itself. */
const STEPS = 256;
/** Halvings of the table: what lies further weighs less than 2^-52 of the heaviest, beyond what a logprob in f32 can show. */
const HALVINGS = 52;
/** Table positions from here on have no mass; those from 36 halvings on round to no weight. */
export const TABLE_END = HALVINGS * STEPS;
/** Table positions from here on weigh nothing. */
export const WEIGHTLESS = 37 * STEPS;

const LN_STEP = Math.LN2 / STEPS;
const LINEAR = -LN_STEP;
const SQUARE = (LN_STEP * LN_STEP) / 2;
/** Adding and taking it away leaves a whole number: doubles this large have no fraction. */
const ROUNDING = 2 ** 52;

const table = Float64Array.from({ length: TABLE_END }, (_, i) => HEAVIEST * 2 ** (-i / STEPS));

/** What a distance from the largest logit is multiplied with to give a table position. Finite for every temperature. */
export function positionScale(temperature: number): number {
  return Math.min(1 / (LN_STEP * temperature), Number.MAX_VALUE / 2 ** 130);
}

/** The weight at a table position, `(max − logit) × positionScale(temperature)`: a whole number from 0 to `HEAVIEST`. */
export function weightAt(position: number): number {
  return massAt(position) + ROUNDING - ROUNDING;
}

/** The same before rounding: where small masses count and nothing is picked. */
export function massAt(position: number): number {
  // Far beyond the lightest weight, where few logits lie: a branch that is seldom taken costs nothing.
  if (!(position < TABLE_END)) return 0;
  const index = position | 0;
  const rest = position - index;
  return (table[index] as number) * (1 + rest * (LINEAR + rest * SQUARE));
}
