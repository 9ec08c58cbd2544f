import { HALF_BIAS, HALF_MASK, MINIMUM_BIAS, NIBBLES, ONES_16 } from '../constants';
import { dot } from './dot';
import { result, strideOf } from './epilogue';
import { blockBytes, minima } from './nibble-block';
import { add, begin, perMinimum } from '../tiles/tile-sums';
import { loadHalves, upper } from '../vector';

// As nibbles-relaxed-1-2-4-rows.ts, for registers of 128 bits, of which V8 has fifteen. Its scheduler begins at a block's end and takes
// the first row's arithmetic first, so that loads in the order of rows all end up before it; in the opposite order each stands
// before its own row. So rows go from the last to the first here, and the mask, which would take a register, is loaded anew
// in each turn (bench/log/kernels.md).

/**
 * Three rows, from the last to the first: each weight is loaded and unpacked once for all. The same sums in the same order
 * as `oneRow` of nibbles-relaxed-1-2-4-rows.ts.
 */
export function threeRows<Q>(
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
  let sumA0 = v128.load(start);
  let sumA1 = v128.load(start, 16);
  let sumB0 = v128.load(start + startStride);
  let sumB1 = v128.load(start + startStride, 16);
  let sumC0 = v128.load(start + (startStride << 1));
  let sumC1 = v128.load(start + (startStride << 1), 16);
  const stride2 = xStride << 1;
  for (; blocks > 0; blocks--) {
    let c0 = begin<Q>(offsets + stride2);
    let c1 = c0;
    let b0 = begin<Q>(offsets + xStride);
    let b1 = b0;
    let a0 = begin<Q>(offsets);
    let a1 = a0;
    const half = w + 128;
    for (; w < half; w += 32) {
      const nibbles = v128.load(NIBBLES);
      const packed0 = v128.load(w);
      const packed1 = v128.load(w, 16);
      let w0 = v128.and(packed0, nibbles);
      let w1 = v128.and(packed1, nibbles);
      let v = v128.load32_splat(x + stride2);
      c0 = dot(c0, v, w0);
      c1 = dot(c1, v, w1);
      v = v128.load32_splat(x + xStride);
      b0 = dot(b0, v, w0);
      b1 = dot(b1, v, w1);
      v = v128.load32_splat(x);
      a0 = dot(a0, v, w0);
      a1 = dot(a1, v, w1);
      w0 = upper(packed0, nibbles);
      w1 = upper(packed1, nibbles);
      v = v128.load32_splat(x + stride2, 16);
      c0 = dot(c0, v, w0);
      c1 = dot(c1, v, w1);
      v = v128.load32_splat(x + xStride, 16);
      b0 = dot(b0, v, w0);
      b1 = dot(b1, v, w1);
      v = v128.load32_splat(x, 16);
      a0 = dot(a0, v, w0);
      a1 = dot(a1, v, w1);
      x += 4;
    }
    x += 16;
    // What `join` does, with its ones in a register.
    const ones = v128.load(ONES_16);
    const mask = v128.load(HALF_MASK);
    const bits = v128.load(HALF_BIAS);
    const minus = v128.load(MINIMUM_BIAS);
    const scale0 = loadHalves(w, mask, bits);
    const scale1 = loadHalves(w + 8, mask, bits);
    const minimum0 = minima<Q>(w + 16, mask, minus);
    const minimum1 = minima<Q>(w + 24, mask, minus);
    let scale = v128.load32_splat(scales);
    let zero = perMinimum<Q>(offsets, scale);
    sumA0 = add<Q>(sumA0, i32x4.dot_i16x8_s(a0, ones), f32x4.mul(scale0, scale), zero, minimum0);
    sumA1 = add<Q>(sumA1, i32x4.dot_i16x8_s(a1, ones), f32x4.mul(scale1, scale), zero, minimum1);
    scale = v128.load32_splat(scales + xStride);
    zero = perMinimum<Q>(offsets + xStride, scale);
    sumB0 = add<Q>(sumB0, i32x4.dot_i16x8_s(b0, ones), f32x4.mul(scale0, scale), zero, minimum0);
    sumB1 = add<Q>(sumB1, i32x4.dot_i16x8_s(b1, ones), f32x4.mul(scale1, scale), zero, minimum1);
    scale = v128.load32_splat(scales + stride2);
    zero = perMinimum<Q>(offsets + stride2, scale);
    sumC0 = add<Q>(sumC0, i32x4.dot_i16x8_s(c0, ones), f32x4.mul(scale0, scale), zero, minimum0);
    sumC1 = add<Q>(sumC1, i32x4.dot_i16x8_s(c1, ones), f32x4.mul(scale1, scale), zero, minimum1);
    scales += 4;
    offsets += 4;
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
  out += outStride;
  before += beforeStride;
  factor += factorStride;
  const lowC = result(sumC0, bias0, before, factor);
  const highC = result(sumC1, bias1, before + 16, factor + 16);
  v128.store(out, lowC);
  v128.store(out, highC, 16);
}
