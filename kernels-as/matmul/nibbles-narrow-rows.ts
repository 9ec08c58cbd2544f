import { HALF_BIAS, HALF_MASK, MINIMUM_BIAS, NIBBLES, ONES_16 } from '../constants';
import { dot } from './dot';
import { result, strideOf } from './epilogue';
import { blockBytes, minima } from './nibble-block';
import { add, begin, perMinimum } from '../tiles/tile-sums';
import { loadHalves, upper } from '../vector';

// As nibbles-relaxed-rows.ts, for registers of 128 bits, of which V8 has fifteen. Its scheduler begins at a block's end
// and takes the first row's arithmetic first, so that loads in the order of rows all end up before it; in the opposite
// order each stands before its own row. So rows go from the last to the first here, and the mask, which would take a
// register, is loaded anew in each turn (bench/log/kernels.md).

for (const [$rows, $name] of ROWS) {
  // With four rows what is loaded next after the loop also begins with the last row, or V8 orders the loop's loads
  // otherwise (58 instead of 67 GMAC/s).
  const $order = $rows == 4 ? downFrom(4) : upTo($rows);

  /**
   * Rows from the last to the first: each weight is loaded and unpacked once for all. The same sums in the same order
   * as there.
   */
  export function $name<Q>(
    out: usize,
    outStride: usize,
    x: usize,
    xStride: usize,
    scales: usize,
    offsets: usize,
    blocks: i32,
    w: usize,
    start: usize,
    startStride: usize,
    bias: usize,
    before: usize,
    factor: usize,
  ): void {
    for (const $row of upTo($rows)) {
      let from = start;
      from += startStride << 1; // if $row & 2
      from += startStride; // if $row & 1
      let sum$row_0 = v128.load(from);
      let sum$row_1 = v128.load(from, 16);
    }
    const xStride2 = xStride << 1;
    const xStride3 = xStride + xStride2;
    for (; blocks > 0; blocks--) {
      for (const $row of downFrom($rows)) {
        let a$row_0 = begin<Q>(offsets + $row * xStride);
        let a$row_1 = a$row_0;
      }
      const half = w + 128;
      for (; w < half; w += 32) {
        const nibbles = v128.load(NIBBLES);
        const packed0 = v128.load(w);
        const packed1 = v128.load(w, 16);
        for (const $high of [0, 1]) {
          let w0 = $high ? upper(packed0, nibbles) : v128.and(packed0, nibbles);
          let w1 = $high ? upper(packed1, nibbles) : v128.and(packed1, nibbles);
          for (const $row of downFrom($rows)) {
            let v = v128.load32_splat(x + $row * xStride, 16 * $high);
            a$row_0 = dot(a$row_0, v, w0);
            a$row_1 = dot(a$row_1, v, w1);
          }
        }
        x += 4;
      }
      x += 16;
      for (const $row of downFrom($rows)) {
        const rowScale$row = v128.load32_splat(scales + $row * xStride); // if $rows == 4
      }
      // What `join` does, with its ones in a register.
      const ones = v128.load(ONES_16);
      const mask = v128.load(HALF_MASK);
      const bits = v128.load(HALF_BIAS);
      const minus = v128.load(MINIMUM_BIAS);
      const scale0 = loadHalves(w, mask, bits);
      const scale1 = loadHalves(w + 8, mask, bits);
      const minimum0 = minima<Q>(w + 16, mask, minus);
      const minimum1 = minima<Q>(w + 24, mask, minus);
      for (const $row of $order) {
        const rowScale$row = v128.load32_splat(scales + $row * xStride); // if $rows == 3
        let zero = perMinimum<Q>(offsets + $row * xStride, rowScale$row);
        sum$row_0 = add<Q>(
          sum$row_0,
          i32x4.dot_i16x8_s(a$row_0, ones),
          f32x4.mul(scale0, rowScale$row),
          zero,
          minimum0,
        );
        sum$row_1 = add<Q>(
          sum$row_1,
          i32x4.dot_i16x8_s(a$row_1, ones),
          f32x4.mul(scale1, rowScale$row),
          zero,
          minimum1,
        );
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
