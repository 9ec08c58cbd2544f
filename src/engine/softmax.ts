/**
 * Softmax in whole numbers. The weight of a token is 2^35 × 2^−x, rounded to an integer, where x, its *halvings*, is
 * (max − logit) × `halvingScale(temperature)`; all in f32 and in an order of operations that kernels-as/row-weights.ts
 * fixes. So sums of weights are exact: no order of adding, and no shortcut that skips the weightless, can change a bit of
 * them. 2^35 is finer than the 32-bit random number that picks among them, and 2^18 tokens of it (Gemma's vocabulary) do
 * not pass 2^53. A vocabulary beyond that, all of it as likely as the likeliest, would lose the exactness, not the
 * repeatability. Logits that differ by less than a part in 2^24 of their distance from the largest count as equal.
 */

/** The weight of the heaviest token. */
export const HEAVIEST = 2 ** 35;

/** Far above any temperature that leaves two tokens, and finite, so that no distance times it is a NaN. */
const MAX_SCALE = 2 ** 100;

/** What a distance from the largest logit is multiplied with to give halvings: f32, above 0 and finite. */
export function halvingScale(temperature: number): number {
  return Math.fround(Math.min(1 / (Math.LN2 * temperature), MAX_SCALE));
}
