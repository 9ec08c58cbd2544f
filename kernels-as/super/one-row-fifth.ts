import { BIT_4, HALF_BIAS, HALF_MASK, MINIMUM_BIAS, NIBBLES } from '../constants';
import { dot, join } from '../matmul/dot';
import { result } from '../matmul/epilogue';
import { loadHalves, multiplyAdd, upper } from '../vector';
import { Q5_BYTES, Q5M_BYTES } from './unpack-fifth';

/**
 * Four steps of four columns fit sums of 16 bits: 8 products of at most 31 · 127. Low nibbles, then high ones have sums
 * of their own. One row by one group of q5 or, with a Q that is a float, q5m weights as they come from memory: the sums
 * of tile.ts in their order.
 */
export function oneRowFifth<Q>(
  out: usize,
  x: usize,
  scales: usize,
  offsets: usize,
  columns: i32,
  w: usize,
  bias: usize,
  before: usize,
  factor: usize,
): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  const minus = v128.load(MINIMUM_BIAS);
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  const bit0 = v128.load(BIT_4);
  const bit1 = v128.load(BIT_4, 16);
  let sum0 = f32x4.splat(0);
  let sum1 = sum0;
  for (let left = columns >> 5; left > 0; left--) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
    const fifth0 = v128.load(w, 128);
    const fifth1 = v128.load(w, 144);
    for (const $step of upTo(4)) {
      let w0 = v128.load(w, 32 * $step);
      let w1 = v128.load(w, 32 * $step + 16);
      let v = v128.load32_splat(x, 4 * $step);
      a0 = dot(a0, v, v128.or(v128.and(w0, nibbles0), v128.and(i16x8.shl(fifth0, 4 - $step), bit0)));
      a1 = dot(a1, v, v128.or(v128.and(w1, nibbles1), v128.and(i16x8.shl(fifth1, 4 - $step), bit1)));
      v = v128.load32_splat(x, 16 + 4 * $step);
      b0 = dot(b0, v, v128.or(upper(w0, nibbles0), v128.and($step ? i16x8.shr_u(fifth0, $step) : fifth0, bit0)));
      b1 = dot(b1, v, v128.or(upper(w1, nibbles1), v128.and($step ? i16x8.shr_u(fifth1, $step) : fifth1, bit1)));
    }
    const s0 = loadHalves(w + 160, mask, half);
    const s1 = loadHalves(w + 168, mask, half);
    const n0 = isFloat<Q>() ? loadHalves(w + 176, mask, minus) : f32x4.add(s0, s0);
    const n1 = isFloat<Q>() ? loadHalves(w + 184, mask, minus) : f32x4.add(s1, s1);
    const scale = v128.load32_splat(scales);
    const offset = f32x4.mul(f32x4.convert_i32x4_s(v128.load32_splat(offsets)), scale);
    sum0 = multiplyAdd(f32x4.convert_i32x4_s(i32x4.add(join(a0), join(b0))), f32x4.mul(s0, scale), sum0);
    sum1 = multiplyAdd(f32x4.convert_i32x4_s(i32x4.add(join(a1), join(b1))), f32x4.mul(s1, scale), sum1);
    sum0 = multiplyAdd(n0, offset, sum0);
    sum1 = multiplyAdd(n1, offset, sum1);
    x += 32;
    scales += 4;
    offsets += 4;
    w += isFloat<Q>() ? Q5M_BYTES : Q5_BYTES;
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const low = result(sum0, bias0, before, factor);
  const high = result(sum1, bias1, before + 16, factor + 16);
  v128.store(out, low);
  v128.store(out, high, 16);
}
