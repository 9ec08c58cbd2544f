import { LOW_WORDS } from '../constants';
import { multiplyAdd } from '../vector';

// How a block of tile.ts joins the sums of a row; Q as there.

/**
 * What a block's integers start from, so that its zero point is gone at the end: −8 or −128 times the sum of activations.
 * With sums of 16 bits, two for each row, one of them takes it all: 16 · 8 · 127 of its own and as much of the other's
 * are within ±32,512 in the end, and what overflows on the way comes back.
 */
export function begin<Q>(offsets: usize): v128 {
  if (isFloat<Q>()) return i32x4.splat(0);
  const offset = v128.load32_splat(offsets);
  if (sizeof<Q>() == 1) return i32x4.shl(offset, 4);
  if (VNNI) return offset;
  return v128.and(offset, v128.load(LOW_WORDS));
}

/** What a block's minima are multiplied with. */
export function perMinimum<Q>(offsets: usize, scale: v128): v128 {
  if (isFloat<Q>()) return f32x4.mul(f32x4.convert_i32x4_s(v128.load32_splat(offsets)), scale);
  return scale;
}

/** Four minima; anything without them. */
export function minimum<Q>(tile: usize, scale: v128): v128 {
  return isFloat<Q>() ? v128.load(tile, 64) : scale;
}

/** sum + a block's integers times its scale, and its minimum. */
export function add<Q>(sum: v128, integers: v128, scale: v128, offset: v128, least: v128): v128 {
  const whole = multiplyAdd(f32x4.convert_i32x4_s(integers), scale, sum);
  return isFloat<Q>() ? multiplyAdd(least, offset, whole) : whole;
}
