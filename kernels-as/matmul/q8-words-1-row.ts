import { HALF_BIAS, HALF_MASK } from '../constants';
import { result } from './epilogue';
import { loadHalves, multiplyAdd } from '../vector';
import { dotWords } from './widen';

// A few rows by q8 weights where no instruction multiplies whole bytes. `x` are activations widened before (widen.ts),
// whose quantised row has its scales at `scales`. A shift by 8 makes words of eight even or odd columns: even ones 256
// times as large, which leaves a block's sum within 32 bits (32 · 128 · 127 · 256) and is undone before the odd ones
// join.

/**
 * One row: for each of `blocks` blocks of 32 columns an exact integer sum, then one multiply-add to the sums, which
 * begin with those at `start`.
 */
export function oneRow(
  out: usize,
  x: usize,
  scales: usize,
  w: usize,
  blocks: i32,
  start: usize,
  bias: usize,
  before: usize,
  factor: usize,
): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  let sumA0 = v128.load(start);
  let sumA1 = v128.load(start, 16);
  for (; blocks > 0; blocks--) {
    let even0 = i32x4.splat(0);
    let even1 = even0;
    let odd0 = even0;
    let odd1 = even0;
    const blockEnd = x + 32;
    for (; x < blockEnd; x += 8) {
      for (const $step of upTo(2)) {
        let w0 = v128.load(w, 32 * $step);
        let w1 = v128.load(w, 32 * $step + 16);
        let v = v128.load32_splat(x, 4 * $step);
        even0 = dotWords(even0, v, i16x8.shl(w0, 8));
        even1 = dotWords(even1, v, i16x8.shl(w1, 8));
        v = v128.load32_splat(x, 4 * $step + 32);
        odd0 = dotWords(odd0, v, i16x8.shr_s(w0, 8));
        odd1 = dotWords(odd1, v, i16x8.shr_s(w1, 8));
      }
      w += 64;
    }
    x += 32;
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    const scale = v128.load32_splat(scales);
    const whole0 = i32x4.add(i32x4.shr_s(even0, 8), odd0);
    const whole1 = i32x4.add(i32x4.shr_s(even1, 8), odd1);
    sumA0 = multiplyAdd(f32x4.convert_i32x4_s(whole0), f32x4.mul(scale0, scale), sumA0);
    sumA1 = multiplyAdd(f32x4.convert_i32x4_s(whole1), f32x4.mul(scale1, scale), sumA1);
    scales += 4;
    w += 16;
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const lowA = result(sumA0, bias0, before, factor);
  const highA = result(sumA1, bias1, before + 16, factor + 16);
  v128.store(out, lowA);
  v128.store(out, highA, 16);
}
