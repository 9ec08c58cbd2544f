import { LOW_WORDS } from './constants';
import { multiplyAdd } from './vector';

// How a block of tile.ts joins the sums of a row; M as there.

/**
 * What a block's integers start from, so that its zero point is gone at the end: −8 or −128 times the sum of activations.
 * With sums of 16 bits, two for each row, one of them takes it all: 16 · 8 · 127 of its own and as much of the other's
 * are within ±32,512 in the end, and what overflows on the way comes back.
 */
export function begin<M>(offsets: usize): v128 {
  if (isFloat<M>()) return i32x4.splat(0);
  const offset = v128.load32_splat(offsets);
  if (sizeof<M>() == 1) return i32x4.shl(offset, 4);
  if (VNNI) return offset;
  return v128.and(offset, v128.load(LOW_WORDS));
}

/** What a block's minima are multiplied with. */
export function perMinimum<M>(offsets: usize, scale: v128): v128 {
  if (isFloat<M>()) return f32x4.mul(f32x4.convert_i32x4_s(v128.load32_splat(offsets)), scale);
  return scale;
}

/** Four minima; anything without them. */
export function minimum<M>(tile: usize, scale: v128): v128 {
  return isFloat<M>() ? v128.load(tile, 64) : scale;
}

/** sum + a block's integers times its scale, and its minimum. */
export function add<M>(sum: v128, integers: v128, scale: v128, offset: v128, least: v128): v128 {
  const whole = multiplyAdd(f32x4.convert_i32x4_s(integers), scale, sum);
  return isFloat<M>() ? multiplyAdd(least, offset, whole) : whole;
}
