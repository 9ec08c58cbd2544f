import { HALF_BIAS, HALF_MASK, MINIMUM_BIAS, NIBBLES_16 } from '../constants';
import { result, strideOf } from './epilogue';
import { addBlock, blockBytes, minima, offset } from './nibble-block';
import { loadHalves } from '../vector';

// A 16-bit lane holds four weights: columns c, 16 + c, c + 1 and 17 + c of its row, c even. Each of the four meets the
// activations of even or odd columns, widened to 16 bits, in a dot whose 32-bit lanes are rows.

/** Activations of the even columns among four bytes, as i16. */
function evens(x: v128): v128 {
  return i16x8.shr_s(i16x8.shl(x, 8), 8);
}

/** Activations of the odd columns. */
function odds(x: v128): v128 {
  return i16x8.shr_s(x, 8);
}

/** The weights whose nibble is `shift` bits up. */
function nibble(w: v128, shift: i32, mask: v128): v128 {
  return v128.and(i16x8.shr_u(w, shift), mask);
}

function dot(sums: v128, x: v128, nibbles: v128): v128 {
  return i32x4.add(sums, i32x4.dot_i16x8_s(x, nibbles));
}

for (const [$rows, $name] of ROWS) {
  /**
   * $rows rows: for each block of 32 columns an exact integer sum, then one multiply-add. Each weight is loaded and
   * unpacked once for all rows; a row's sums have the same order in all functions.
   */
  export function $name<Q>(
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
    const minus = v128.load(MINIMUM_BIAS);
    const nibbles0 = v128.load(NIBBLES_16);
    const nibbles1 = v128.load(NIBBLES_16, 16);
    for (const $row of upTo($rows)) {
      let sum$row_0 = f32x4.splat(0);
      let sum$row_1 = sum$row_0;
    }
    const offsets = <usize>columns >> 3;
    let scales = x + <usize>columns;
    const end = scales;
    for (; x < end; x += 16) {
      for (const $row of upTo($rows)) {
        let a$row_0 = i32x4.splat(0);
        let a$row_1 = a$row_0;
      }
      const blockEnd = x + 16;
      for (; x < blockEnd; x += 4) {
        const w0 = v128.load(w);
        const w1 = v128.load(w, 16);
        for (const $row of upTo($rows)) {
          const low$row = v128.load32_splat(x + $row * xStride);
          const high$row = v128.load32_splat(x + $row * xStride, 16);
        }
        for (const $row of upTo($rows)) {
          const x$row_0 = evens(low$row);
          const x$row_1 = evens(high$row);
          const x$row_2 = odds(low$row);
          const x$row_3 = odds(high$row);
        }
        for (const $i of upTo(4)) {
          let n0 = v128.and(w0, nibbles0); // if $i == 0
          let n1 = v128.and(w1, nibbles1); // if $i == 0
          let n0 = nibble(w0, 4 * $i, nibbles0); // if $i == 1 || $i == 2
          let n1 = nibble(w1, 4 * $i, nibbles1); // if $i == 1 || $i == 2
          let n0 = i16x8.shr_u(w0, 12); // if $i == 3
          let n1 = i16x8.shr_u(w1, 12); // if $i == 3
          for (const $row of upTo($rows)) {
            a$row_0 = dot(a$row_0, x$row_$i, n0);
            a$row_1 = dot(a$row_1, x$row_$i, n1);
          }
        }
        w += 32;
      }
      const scale0 = loadHalves(w, mask, half);
      const scale1 = loadHalves(w + 8, mask, half);
      const minimum0 = minima<Q>(w + 16, mask, minus);
      const minimum1 = minima<Q>(w + 24, mask, minus);
      for (const $row of upTo($rows)) {
        const rowScale$row = v128.load32_splat(scales + $row * xStride);
        const zero$row = offset<Q>(scales + offsets + $row * xStride, rowScale$row);
        sum$row_0 = addBlock<Q>(sum$row_0, a$row_0, f32x4.mul(scale0, rowScale$row), zero$row, minimum0);
        sum$row_1 = addBlock<Q>(sum$row_1, a$row_1, f32x4.mul(scale1, rowScale$row), zero$row, minimum1);
      }
      scales += 4;
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
