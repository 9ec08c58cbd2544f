import { HALF_BIAS, HALF_MASK, MINIMUM_BIAS, NIBBLES } from '../constants';
import { dot, join } from './dot';
import { result, strideOf } from './epilogue';
import { addBlock, blockBytes, minima, offset } from './nibble-block';
import { loadHalves, upper } from '../vector';

// A byte holds two weights, columns c and 16 + c of its row. The 16-bit sums of a whole block fit:
// 16 products of at most 15 · 127 are 30,480. In the loops each row's dots follow one another, because V8 keeps that
// order: with all lower nibbles first its registers ran out (bench/log/kernels.md).

for (const [$rows, $name] of ROWS) {
  // One row takes two steps of four columns in a turn.
  const $steps = $rows == 1 ? 2 : 1;

  /**
   * For each of `blocks` blocks of 32 columns an exact integer sum, then one multiply-add to the sums, which begin with
   * those at `start`. Each weight is loaded and unpacked once for all rows; a row's sums have the same order in all
   * functions.
   */
  export function $name<Q>(
    out: usize,
    outStride: usize, // if $rows > 1
    x: usize,
    xStride: usize, // if $rows > 1
    scales: usize,
    offsets: usize,
    blocks: i32,
    w: usize,
    start: usize,
    startStride: usize, // if $rows > 1
    bias: usize,
    before: usize,
    factor: usize,
  ): void {
    // One row has no strides.
    const outStride: usize = 0; // if $rows == 1
    const xStride: usize = 0; // if $rows == 1
    const startStride: usize = 0; // if $rows == 1
    const mask = v128.load(HALF_MASK);
    const half = v128.load(HALF_BIAS);
    const minus = v128.load(MINIMUM_BIAS);
    const nibbles0 = v128.load(NIBBLES);
    const nibbles1 = v128.load(NIBBLES, 16);
    for (const $row of upTo($rows)) {
      let from = start;
      from += startStride << 1; // if $row & 2
      from += startStride; // if $row & 1
      let sum$row_0 = v128.load(from);
      let sum$row_1 = v128.load(from, 16);
    }
    const xStride2 = xStride << 1;
    const xStride3 = xStride + xStride2;
    const end = x + ((<usize>blocks) << 5);
    for (; x < end; x += 16) {
      for (const $row of upTo($rows)) {
        let a$row_0 = i32x4.splat(0);
        let a$row_1 = a$row_0;
      }
      const blockEnd = x + 16;
      for (; x < blockEnd; x += 4 * $steps) {
        for (const $step of upTo($steps)) {
          let w0 = v128.load(w, 32 * $step);
          let w1 = v128.load(w, 32 * $step + 16);
          let low0 = v128.and(w0, nibbles0);
          let low1 = v128.and(w1, nibbles1);
          let high0 = upper(w0, nibbles0);
          let high1 = upper(w1, nibbles1);
          for (const $row of upTo($rows)) {
            let v = v128.load32_splat(x + $row * xStride, 4 * $step);
            a$row_0 = dot(a$row_0, v, low0);
            a$row_1 = dot(a$row_1, v, low1);
            v = v128.load32_splat(x + $row * xStride, 4 * $step + 16);
            a$row_0 = dot(a$row_0, v, high0);
            a$row_1 = dot(a$row_1, v, high1);
          }
        }
        w += 32 * $steps;
      }
      const scale0 = loadHalves(w, mask, half);
      const scale1 = loadHalves(w + 8, mask, half);
      const minimum0 = minima<Q>(w + 16, mask, minus);
      const minimum1 = minima<Q>(w + 24, mask, minus);
      for (const $row of upTo($rows)) {
        let scale = v128.load32_splat(scales + $row * xStride);
        let zero = offset<Q>(offsets + $row * xStride, scale);
        sum$row_0 = addBlock<Q>(sum$row_0, join(a$row_0), f32x4.mul(scale0, scale), zero, minimum0);
        sum$row_1 = addBlock<Q>(sum$row_1, join(a$row_1), f32x4.mul(scale1, scale), zero, minimum1);
      }
      scales += 4;
      offsets += 4;
      w += blockBytes<Q>() - 128;
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
