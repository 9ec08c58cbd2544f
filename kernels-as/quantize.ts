// One block of up to 32 floats → int8 with one scale, as ops.ts defines it for rows, queries, keys and values.

import { HALF, INT8_LEAST, INT8_MOST, ONE_32 } from './constants';
import { maxLanes } from './vector';

/** max|x| / 127 of `count` (a multiple of 4) floats at `x`. */
export function blockScale(x: usize, count: i32): f32 {
  let most = f32x4.abs(v128.load(x));
  for (let i = 4; i < count; i += 4) most = f32x4.max(most, f32x4.abs(v128.load(x + ((<usize>i) << 2))));
  return maxLanes(most) / 127;
}

/** x / scale in each lane, rounded half away from zero, within ±127: i32 [4]. `scale` 0 gives 0. */
export function quantize(x: v128, scale: f32): v128 {
  if (scale == 0) return i32x4.splat(0);
  const ratio = f32x4.div(x, f32x4.splat(scale));
  const bounded = f32x4.max(f32x4.min(ratio, v128.load(INT8_MOST)), v128.load(INT8_LEAST));
  const whole = f32x4.trunc(bounded);
  const up = f32x4.ge(f32x4.abs(f32x4.sub(bounded, whole)), v128.load(HALF));
  // −1 or 1 by the sign of x, where the fraction is at least a half.
  const away = v128.and(v128.or(i32x4.shr_s(bounded, 31), v128.load(ONE_32)), up);
  return i32x4.add(i32x4.trunc_sat_f32x4_s(whole), away);
}

/** Four i32 within ±127 → their four bytes. */
export function packBytes(v: v128): i32 {
  const words = i16x8.narrow_i32x4_s(v, v);
  return i32x4.extract_lane(i8x16.narrow_i16x8_s(words, words), 0);
}
