import { EXP2_ROUNDING, PLACES } from './constants';
import { maxLanes, multiplyAdd } from './vector';

// Weights of a block's tokens as whole numbers, so that products with int8 values are summed exactly (weighted-sum.ts):
// a token's weight (at most 1) times the scale of its values, in parts of the greatest scale that the query sees. What a
// query's weights become depends on nothing but what it sees.

/** The whole number that the greatest scale with a weight of 1 becomes. */
const MOST: f32 = 32767;
/** Greatest scales below this, whose parts would leave the range of f32, count as 0. */
const LEAST_SCALE: f32 = 1e-30;

/** Bytes of the scales that `evenScales` writes: f32 [32] and the unit, padded. */
export const EVEN_BYTES: usize = 144;

/**
 * even = scales of the places from…to in parts of the greatest of them, and 0 for others, which may hold what another
 * token left there: f32 [32]; behind them the unit that whole weights count in.
 */
export function evenScales(even: usize, scales: usize, from: i32, to: i32): void {
  const first = i32x4.splat(from);
  const last = i32x4.splat(to);
  let most = f32x4.splat(0);
  for (let at: usize = 0; at < 128; at += 16) {
    const place = v128.load(PLACES + at);
    const isSeen = v128.and(i32x4.ge_s(place, first), i32x4.le_s(place, last));
    const seen = v128.and(v128.load(scales + at), isSeen);
    v128.store(even + at, seen);
    most = f32x4.pmax(most, seen);
  }
  const greatest = maxLanes(most);
  const isNothing = greatest < LEAST_SCALE;
  const parts = f32x4.splat(isNothing ? 0 : MOST / greatest);
  for (let at: usize = 0; at < 128; at += 16) v128.store(even + at, f32x4.mul(v128.load(even + at), parts));
  store<f32>(even, isNothing ? 0 : greatest / MOST, 128);
}

/**
 * whole = weights · even, rounded: i16 [16][2], each token with the one sixteen places behind it. Adding what leaves no
 * room for fractions rounds; its bits are taken from the first of the two, and from the second, moved, they fall away.
 */
export function wholeWeights(whole: usize, weights: usize, even: usize): void {
  const rounding0 = v128.load(EXP2_ROUNDING);
  const rounding1 = NARROW ? rounding0 : v128.load(EXP2_ROUNDING, 16);
  for (const end = whole + 64; whole < end; whole += 32) {
    const a0 = multiplyAdd(v128.load(weights), v128.load(even), rounding0);
    const a1 = multiplyAdd(v128.load(weights, 16), v128.load(even, 16), rounding1);
    const b0 = multiplyAdd(v128.load(weights, 64), v128.load(even, 64), rounding0);
    const b1 = multiplyAdd(v128.load(weights, 80), v128.load(even, 80), rounding1);
    const pairs0 = v128.or(i32x4.sub(a0, rounding0), i32x4.shl(b0, 16));
    const pairs1 = v128.or(i32x4.sub(a1, rounding1), i32x4.shl(b1, 16));
    v128.store(whole, pairs0);
    v128.store(whole, pairs1, 16);
    weights += 32;
    even += 32;
  }
}
