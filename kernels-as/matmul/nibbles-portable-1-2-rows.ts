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

/** One row: for each block of 32 columns an exact integer sum, then one multiply-add. */
export function oneRow<Q>(
  out: usize,
  x: usize,
  w: usize,
  columns: i32,
  bias: usize,
  before: usize,
  factor: usize,
): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  const minus = v128.load(MINIMUM_BIAS);
  const nibbles0 = v128.load(NIBBLES_16);
  const nibbles1 = v128.load(NIBBLES_16, 16);
  let sumA0 = f32x4.splat(0);
  let sumA1 = sumA0;
  const offsets = <usize>columns >> 3;
  let scales = x + <usize>columns;
  const end = scales;
  for (; x < end; x += 16) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    const blockEnd = x + 16;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.load(w);
      const w1 = v128.load(w, 16);
      const aLow = v128.load32_splat(x);
      const aHigh = v128.load32_splat(x, 16);
      const ax0 = evens(aLow);
      const ax1 = evens(aHigh);
      const ax2 = odds(aLow);
      const ax3 = odds(aHigh);
      let n0 = v128.and(w0, nibbles0);
      let n1 = v128.and(w1, nibbles1);
      a0 = dot(a0, ax0, n0);
      a1 = dot(a1, ax0, n1);
      n0 = nibble(w0, 4, nibbles0);
      n1 = nibble(w1, 4, nibbles1);
      a0 = dot(a0, ax1, n0);
      a1 = dot(a1, ax1, n1);
      n0 = nibble(w0, 8, nibbles0);
      n1 = nibble(w1, 8, nibbles1);
      a0 = dot(a0, ax2, n0);
      a1 = dot(a1, ax2, n1);
      n0 = i16x8.shr_u(w0, 12);
      n1 = i16x8.shr_u(w1, 12);
      a0 = dot(a0, ax3, n0);
      a1 = dot(a1, ax3, n1);
      w += 32;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    const scaleA = v128.load32_splat(scales);
    const minimum0 = minima<Q>(w + 16, mask, minus);
    const minimum1 = minima<Q>(w + 24, mask, minus);
    const zeroA = offset<Q>(scales + offsets, scaleA);
    sumA0 = addBlock<Q>(sumA0, a0, f32x4.mul(scale0, scaleA), zeroA, minimum0);
    sumA1 = addBlock<Q>(sumA1, a1, f32x4.mul(scale1, scaleA), zeroA, minimum1);
    scales += 4;
    w += blockBytes<Q>() - 128;
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const lowA = result(sumA0, bias0, before, factor);
  const highA = result(sumA1, bias1, before + 16, factor + 16);
  v128.store(out, lowA);
  v128.store(out, highA, 16);
}

/** Two rows: each weight is loaded and unpacked once for both. The same sums in the same order as `oneRow`. */
export function twoRows<Q>(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  w: usize,
  columns: i32,
  bias: usize,
  before: usize,
  factor: usize,
): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  const minus = v128.load(MINIMUM_BIAS);
  const nibbles0 = v128.load(NIBBLES_16);
  const nibbles1 = v128.load(NIBBLES_16, 16);
  let sumA0 = f32x4.splat(0);
  let sumA1 = sumA0;
  let sumB0 = sumA0;
  let sumB1 = sumA0;
  const offsets = <usize>columns >> 3;
  let scales = x + <usize>columns;
  const end = scales;
  for (; x < end; x += 16) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
    const blockEnd = x + 16;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.load(w);
      const w1 = v128.load(w, 16);
      const aLow = v128.load32_splat(x);
      const aHigh = v128.load32_splat(x, 16);
      const bLow = v128.load32_splat(x + xStride);
      const bHigh = v128.load32_splat(x + xStride, 16);
      const ax0 = evens(aLow);
      const ax1 = evens(aHigh);
      const ax2 = odds(aLow);
      const ax3 = odds(aHigh);
      const bx0 = evens(bLow);
      const bx1 = evens(bHigh);
      const bx2 = odds(bLow);
      const bx3 = odds(bHigh);
      let n0 = v128.and(w0, nibbles0);
      let n1 = v128.and(w1, nibbles1);
      a0 = dot(a0, ax0, n0);
      a1 = dot(a1, ax0, n1);
      b0 = dot(b0, bx0, n0);
      b1 = dot(b1, bx0, n1);
      n0 = nibble(w0, 4, nibbles0);
      n1 = nibble(w1, 4, nibbles1);
      a0 = dot(a0, ax1, n0);
      a1 = dot(a1, ax1, n1);
      b0 = dot(b0, bx1, n0);
      b1 = dot(b1, bx1, n1);
      n0 = nibble(w0, 8, nibbles0);
      n1 = nibble(w1, 8, nibbles1);
      a0 = dot(a0, ax2, n0);
      a1 = dot(a1, ax2, n1);
      b0 = dot(b0, bx2, n0);
      b1 = dot(b1, bx2, n1);
      n0 = i16x8.shr_u(w0, 12);
      n1 = i16x8.shr_u(w1, 12);
      a0 = dot(a0, ax3, n0);
      a1 = dot(a1, ax3, n1);
      b0 = dot(b0, bx3, n0);
      b1 = dot(b1, bx3, n1);
      w += 32;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    const scaleA = v128.load32_splat(scales);
    const minimum0 = minima<Q>(w + 16, mask, minus);
    const minimum1 = minima<Q>(w + 24, mask, minus);
    const zeroA = offset<Q>(scales + offsets, scaleA);
    sumA0 = addBlock<Q>(sumA0, a0, f32x4.mul(scale0, scaleA), zeroA, minimum0);
    sumA1 = addBlock<Q>(sumA1, a1, f32x4.mul(scale1, scaleA), zeroA, minimum1);
    const scaleB = v128.load32_splat(scales + xStride);
    const zeroB = offset<Q>(scales + offsets + xStride, scaleB);
    sumB0 = addBlock<Q>(sumB0, b0, f32x4.mul(scale0, scaleB), zeroB, minimum0);
    sumB1 = addBlock<Q>(sumB1, b1, f32x4.mul(scale1, scaleB), zeroB, minimum1);
    scales += 4;
    w += blockBytes<Q>() - 128;
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const beforeStride = strideOf(before, out, outStride);
  const factorStride = strideOf(factor, out, outStride);
  const lowA = result(sumA0, bias0, before, factor);
  const highA = result(sumA1, bias1, before + 16, factor + 16);
  v128.store(out, lowA);
  v128.store(out, highA, 16);
  out += outStride;
  before += beforeStride;
  factor += factorStride;
  const lowB = result(sumB0, bias0, before, factor);
  const highB = result(sumB1, bias1, before + 16, factor + 16);
  v128.store(out, lowB);
  v128.store(out, highB, 16);
}
