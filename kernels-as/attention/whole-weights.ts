import { EXP2_ROUNDING, PLACES } from '../constants';
import { maxAcross, maxOfLanes, multiplyAdd } from '../vector';

// Weights of a block's tokens as whole numbers, so that products with int8 values are summed exactly (weighted-sum-1-query.ts):
// a token's weight times the scale of its values, in parts of the greatest of these products that the query sees. What a
// query's weights become depends on nothing but what it sees.

/** The whole number that the greatest product becomes. */
const MOST: f32 = 32767;
/** Greatest products below this count as 0: their parts would be too large for f32. */
const LEAST: f32 = 1e-30;

/** out = the scales of the places from…to, and 0 for others, which may hold what another token left there: f32 [32]. */
export function hideScales(out: usize, scales: usize, from: i32, to: i32): void {
  const first = i32x4.splat(from);
  const last = i32x4.splat(to);
  for (let at: usize = 0; at < 128; at += 16) {
    const place = v128.load(PLACES + at);
    const isSeen = v128.and(i32x4.ge_s(place, first), i32x4.le_s(place, last));
    v128.store(out + at, v128.and(v128.load(scales + at), isSeen));
  }
}

/** The products of four weights and scales. */
function product(weights: usize, scales: usize): v128 {
  return f32x4.mul(v128.load(weights), v128.load(scales));
}

/** The greatest of 32 products, in one of four lanes. */
function greatest(weights: usize, scales: usize): v128 {
  const a = f32x4.pmax(product(weights, scales), product(weights + 16, scales + 16));
  const b = f32x4.pmax(product(weights + 32, scales + 32), product(weights + 48, scales + 48));
  const c = f32x4.pmax(product(weights + 64, scales + 64), product(weights + 80, scales + 80));
  const d = f32x4.pmax(product(weights + 96, scales + 96), product(weights + 112, scales + 112));
  return f32x4.pmax(f32x4.pmax(a, b), f32x4.pmax(c, d));
}

/** One query: whole = weights · scales, f32 [32] each, as numbers of up to MOST. units: what they count in, times its factor. */
export function wholeOfOne(whole: usize, units: usize, weights: usize, factors: usize, scales: usize): void {
  const most = maxOfLanes(greatest(weights, scales));
  const isSome = f32x4.ge(most, f32x4.splat(LEAST));
  const unit = v128.and(f32x4.mul(most, f32x4.splat(1 / MOST)), isSome);
  const parts = v128.and(f32x4.div(f32x4.splat(MOST), most), isSome);
  store<f32>(units, f32x4.extract_lane(unit, 0) * load<f32>(factors));
  round(whole, weights, scales, f32x4.extract_lane(parts, 0));
}

/** Four queries, f32 [4][32] and whole i16 [4][16][2], over the same scales: the same bits as one after the other. */
export function wholeOfFour(whole: usize, units: usize, weights: usize, factors: usize, scales: usize): void {
  const most = maxAcross(
    greatest(weights, scales),
    greatest(weights + 128, scales),
    greatest(weights + 256, scales),
    greatest(weights + 384, scales),
  );
  const isSome = f32x4.ge(most, f32x4.splat(LEAST));
  const unit = v128.and(f32x4.mul(most, f32x4.splat(1 / MOST)), isSome);
  const parts = v128.and(f32x4.div(f32x4.splat(MOST), most), isSome);
  v128.store(units, f32x4.mul(unit, v128.load(factors)));
  round(whole, weights, scales, f32x4.extract_lane(parts, 0));
  round(whole + 64, weights + 128, scales, f32x4.extract_lane(parts, 1));
  round(whole + 128, weights + 256, scales, f32x4.extract_lane(parts, 2));
  round(whole + 192, weights + 384, scales, f32x4.extract_lane(parts, 3));
}

/**
 * whole = weights · scales · parts, rounded: i16 [16][2], each token with the one sixteen places behind it. Adding what
 * leaves no room for fractions rounds; its bits are taken from the first of the two, and from the second, moved, they
 * fall away. `part` comes as a number: V8's revectorizer ends the process where it packs an operation over a vector that is
 * a parameter (Node 26; build.mjs refuses such functions).
 */
function round(whole: usize, weights: usize, scales: usize, part: f32): void {
  const parts = f32x4.splat(part);
  const rounding0 = v128.load(EXP2_ROUNDING);
  const rounding1 = NARROW ? rounding0 : v128.load(EXP2_ROUNDING, 16);
  for (const end = whole + 64; whole < end; whole += 32) {
    const a0 = multiplyAdd(f32x4.mul(v128.load(weights), v128.load(scales)), parts, rounding0);
    const a1 = multiplyAdd(f32x4.mul(v128.load(weights, 16), v128.load(scales, 16)), parts, rounding1);
    const b0 = multiplyAdd(f32x4.mul(v128.load(weights, 64), v128.load(scales, 64)), parts, rounding0);
    const b1 = multiplyAdd(f32x4.mul(v128.load(weights, 80), v128.load(scales, 80)), parts, rounding1);
    const pairs0 = v128.or(i32x4.sub(a0, rounding0), i32x4.shl(b0, 16));
    const pairs1 = v128.or(i32x4.sub(a1, rounding1), i32x4.shl(b1, 16));
    v128.store(whole, pairs0);
    v128.store(whole, pairs1, 16);
    weights += 32;
    scales += 32;
  }
}
