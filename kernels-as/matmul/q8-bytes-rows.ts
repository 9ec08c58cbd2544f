import { FLIP, HALF_BIAS, HALF_MASK } from '../constants';
import { dot } from './dot';
import { result, strideOf } from './epilogue';
import { loadHalves, multiplyAdd } from '../vector';

// For the variant whose dot reads its second operand as a number of 0…255: weights + 128 meet activations whole. The
// 128 leave with the block's sum of activations. Three and five rows are what draft tokens make of one sequence.

/** −128 times the block's sum of activations. */
function zeroPoint(offsets: usize): v128 {
  return i32x4.shl(v128.load32_splat(offsets), 4);
}

/** A block's sums as floats, without the zero point. */
function without(sums: v128, zero: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.add(sums, zero));
}

for (const [$rows, $name] of ROWS) {
  // One row takes four steps of four columns in a turn.
  const $steps = $rows == 1 ? 4 : 1;

  /**
   * $rows rows: for each block of 32 columns an exact integer sum, then one multiply-add. Each weight is loaded and
   * unpacked once for all rows; a row's sums have the same order in all functions.
   */
  export function $name(
    out: usize,
    outStride: usize, // if $rows > 1
    x: usize,
    xStride: usize, // if $rows > 1
    w: usize,
    columns: i32,
    bias: usize,
    before: usize,
    factor: usize,
  ): void {
    // One row has no strides.
    const outStride: usize = 0; // if $rows == 1
    const xStride: usize = 0; // if $rows == 1
    const mask = v128.load(HALF_MASK);
    const half = v128.load(HALF_BIAS);
    const flip0 = v128.load(FLIP);
    const flip1 = v128.load(FLIP, 16);
    for (const $row of upTo($rows)) {
      let sum$row_0 = f32x4.splat(0);
      let sum$row_1 = sum$row_0;
    }
    const xStride2 = xStride << 1;
    const xStride3 = xStride + xStride2;
    const xStride4 = xStride << 2;
    const offsets = <usize>columns >> 3;
    let scales = x + <usize>columns;
    const end = scales;
    while (x < end) {
      for (const $row of upTo($rows)) {
        let a$row_0 = i32x4.splat(0);
        let a$row_1 = a$row_0;
      }
      const blockEnd = x + 32;
      for (; x < blockEnd; x += 4 * $steps) {
        for (const $step of upTo($steps)) {
          let w0 = v128.xor(v128.load(w, 32 * $step), flip0);
          let w1 = v128.xor(v128.load(w, 32 * $step + 16), flip1);
          for (const $row of upTo($rows)) {
            let v = v128.load32_splat(x + $row * xStride, 4 * $step);
            a$row_0 = dot(a$row_0, v, w0);
            a$row_1 = dot(a$row_1, v, w1);
          }
        }
        w += 32 * $steps;
      }
      const scale0 = loadHalves(w, mask, half);
      const scale1 = loadHalves(w + 8, mask, half);
      for (const $row of upTo($rows)) {
        let scale = v128.load32_splat(scales + $row * xStride);
        let zero = zeroPoint(scales + offsets + $row * xStride);
        sum$row_0 = multiplyAdd(without(a$row_0, zero), f32x4.mul(scale0, scale), sum$row_0);
        sum$row_1 = multiplyAdd(without(a$row_1, zero), f32x4.mul(scale1, scale), sum$row_1);
      }
      scales += 4;
      w += 16;
    }
    const bias0 = v128.load(bias);
    const bias1 = v128.load(bias, 16);
    const beforeStride = strideOf(before, out, outStride);
    const factorStride = strideOf(factor, out, outStride);
    for (const $row of upTo($rows)) {
      const low$row = result(sum$row_0, bias0, before, factor);
      const high$row = result(sum$row_1, bias1, before + 16, factor + 16);
      v128.store(out, low$row);
      v128.store(out, high$row, 16);
      out += outStride;
      before += beforeStride;
      factor += factorStride;
    }
  }
}
