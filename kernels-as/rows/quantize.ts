// One block of up to 32 floats → int8 with one scale, as ops.ts defines it for rows, queries, keys and values.

import { ALMOST_HALF, INT8_LEAST, INT8_MOST, SIGN } from '../constants';
import { maxLanes } from '../vector';

/** max|x| / 127 of `count` (a multiple of 8) floats at `x`. */
export function blockScale(x: usize, count: i32): f32 {
  let most0 = f32x4.abs(v128.load(x));
  let most1 = f32x4.abs(v128.load(x, 16));
  for (let i = 8; i < count; i += 8) {
    x += 32;
    most0 = f32x4.pmax(most0, f32x4.abs(v128.load(x)));
    most1 = f32x4.pmax(most1, f32x4.abs(v128.load(x, 16)));
  }
  return maxLanes(f32x4.pmax(most0, most1)) / 127;
}

/** What values are divided by: 1 where the scale is 0, so that values too small for a scale become 0. */
export function divisor(scale: f32): v128 {
  return f32x4.splat(scale == 0 ? 1 : scale);
}

/**
 * x / divisor in each lane, rounded half away from zero, within ±127: i32 [4]. Adding the number just below a half
 * and cutting rounds every float rightly; a whole half would lift 0.49999997 to 1.
 */
export function quantize(x: v128, by: v128): v128 {
  const ratio = f32x4.div(x, by);
  const bounded = f32x4.pmax(f32x4.pmin(ratio, v128.load(INT8_MOST)), v128.load(INT8_LEAST));
  const away = v128.or(v128.and(bounded, v128.load(SIGN)), v128.load(ALMOST_HALF));
  const rounded = f32x4.add(bounded, away);
  if (ASC_FEATURE_RELAXED_SIMD) return i32x4.relaxed_trunc_f32x4_s(rounded);
  return i32x4.trunc_sat_f32x4_s(rounded);
}

/** Four i32 within ±127 → their four bytes. */
export function packBytes(v: v128): i32 {
  const words = i16x8.narrow_i32x4_s(v, v);
  return i32x4.extract_lane(i8x16.narrow_i16x8_s(words, words), 0);
}
