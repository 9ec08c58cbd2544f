import { BITS_4_5, HALF_BIAS, HALF_MASK, NIBBLES } from '../constants';
import { result } from '../matmul/epilogue';
import { loadHalves, multiplyAdd, upper } from '../vector';
import { begin, step, whole } from './halves-begin';
import { BLOCK_BYTES, FIRST_BLOCK, PAIRS } from './unpack-q6k';

/** One row by one group of q6k weights as they come from memory: the sums of halves.ts in their order. */
export function oneRowQ6k(
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
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  const top0 = v128.load(BITS_4_5);
  const top1 = v128.load(BITS_4_5, 16);
  // Behind the offsets of whole blocks (kernel-interface.ts, quantised row).
  let halves = offsets + (<usize>columns >> 3);
  let sum0 = f32x4.splat(0);
  let sum1 = sum0;
  for (let left = columns >> 5; left > 0; left -= 8) {
    const d0 = loadHalves(w, mask, half);
    const d1 = loadHalves(w + 8, mask, half);
    w += PAIRS;
    for (let inSuper = min(left, 8); inSuper > 0; inSuper -= 2) {
      let word0 = v128.load(w);
      let word1 = v128.load(w, 16);
      w += FIRST_BLOCK;
      for (let i = min(inSuper, 2); i > 0; i--) {
        let a0 = begin(halves);
        let a1 = a0;
        let b0 = begin(halves + 4);
        let b1 = b0;
        const low0 = v128.load(w, 128);
        const low1 = v128.load(w, 144);
        const high0 = v128.load(w, 160);
        const high1 = v128.load(w, 176);
        // The upper bits of a step move to bits 4 and 5.
        for (const [$step, $move, $by] of [
          [0, 'i16x8.shl', ', 4'],
          [1, 'i16x8.shl', ', 2'],
          [2, '', ''],
          [3, 'i16x8.shr_u', ', 2'],
        ]) {
          let w0 = v128.load(w, 32 * $step);
          let w1 = v128.load(w, 32 * $step + 16);
          let v = v128.load32_splat(x, 4 * $step);
          a0 = step(a0, v, v128.or(v128.and(w0, nibbles0), v128.and($move(low0$by), top0)));
          a1 = step(a1, v, v128.or(v128.and(w1, nibbles1), v128.and($move(low1$by), top1)));
          v = v128.load32_splat(x, 16 + 4 * $step);
          b0 = step(b0, v, v128.or(upper(w0, nibbles0), v128.and($move(high0$by), top0)));
          b1 = step(b1, v, v128.or(upper(w1, nibbles1), v128.and($move(high1$by), top1)));
        }
        const scale = v128.load32_splat(scales);
        let s0 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(i32x4.shl(word0, 24), 24)), d0);
        let s1 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(i32x4.shl(word1, 24), 24)), d1);
        sum0 = multiplyAdd(f32x4.convert_i32x4_s(whole(a0)), f32x4.mul(s0, scale), sum0);
        sum1 = multiplyAdd(f32x4.convert_i32x4_s(whole(a1)), f32x4.mul(s1, scale), sum1);
        s0 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(i32x4.shl(word0, 16), 24)), d0);
        s1 = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(i32x4.shl(word1, 16), 24)), d1);
        sum0 = multiplyAdd(f32x4.convert_i32x4_s(whole(b0)), f32x4.mul(s0, scale), sum0);
        sum1 = multiplyAdd(f32x4.convert_i32x4_s(whole(b1)), f32x4.mul(s1, scale), sum1);
        word0 = i32x4.shr_u(word0, 16);
        word1 = i32x4.shr_u(word1, 16);
        x += 32;
        scales += 4;
        halves += 8;
        w += BLOCK_BYTES;
      }
    }
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const lowest = result(sum0, bias0, before, factor);
  const highest = result(sum1, bias1, before + 16, factor + 16);
  v128.store(out, lowest);
  v128.store(out, highest, 16);
}
