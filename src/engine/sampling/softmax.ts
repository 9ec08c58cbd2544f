/**
 * Softmax in base 2. A token weighs 2^33 × 2^−x, rounded to a whole number, where x, its *halvings*, is (max − logit) ×
 * `halvingScale(temperature)`. From 33 halvings on it weighs nothing and is never drawn. All in f32 and in an order of
 * operations that kernels-as/sampling/row-weights.ts fixes. Halvings are counted in steps, a fixed fraction of one.
 * Tokens are gathered in buckets by the nearest whole step. A bucket weighs its number of tokens times the heaviest
 * possible token in it. These are whole numbers, up to 2^53 for 2^20 tokens, more than any model has, so that their
 * sums are exact in any order. 2^33 is finer than the 32-bit random number of a draw. Logits that differ by less than a
 * part in 2^24 of their distance from the largest count as equal.
 */

/** Far above any temperature that leaves two tokens, and finite, so that its product with any distance is not NaN. */
const MAX_SCALE = 2 ** 100;

/** The weight of the heaviest token. */
export const HEAVIEST = 2 ** 33;

/** The factor from a distance below the largest logit to halvings: f32, above 0 and finite. */
export function halvingScale(temperature: number): number {
  return Math.fround(Math.min(1 / (Math.LN2 * temperature), MAX_SCALE));
}
