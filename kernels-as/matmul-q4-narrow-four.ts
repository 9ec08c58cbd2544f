import { HALF_BIAS, HALF_MASK, MINIMUM_BIAS, NIBBLES } from './constants';
import { dot, join } from './dot';
import { result, strideOf } from './epilogue';
import { addBlock, blockBytes, minima, offset } from './nibble-block';
import { loadHalves, upper } from './vector';

// As matmul-q4-narrow.ts. Eight sums fit fifteen registers only where each row's activations are loaded when their turn has
// come. V8's scheduler begins at a block's end and takes the first row's arithmetic first, so that loads in the order of
// rows all end up before it; in the opposite order each stands before its own row, if what is loaded next after the loop
// also begins with the last row (bench/LOG.md, 2026-11-22: 58 and 67 GMAC/s).

/**
 * Four rows, from the last to the first: each weight is loaded and unpacked once for all. The same sums in the same order
 * as `oneRow` of matmul-q4-relaxed.ts.
 */
export function fourRows<M>(
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
  const nibbles = v128.load(NIBBLES);
  let sumA0 = v128.load(start);
  let sumA1 = v128.load(start, 16);
  let sumB0 = v128.load(start + startStride);
  let sumB1 = v128.load(start + startStride, 16);
  let sumC0 = v128.load(start + (startStride << 1));
  let sumC1 = v128.load(start + (startStride << 1), 16);
  let sumD0 = v128.load(start + (startStride << 1) + startStride);
  let sumD1 = v128.load(start + (startStride << 1) + startStride, 16);
  const stride2 = xStride << 1;
  const stride3 = xStride + stride2;
  for (; blocks > 0; blocks--) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
    let c0 = a0;
    let c1 = a0;
    let d0 = a0;
    let d1 = a0;
    const half = w + 128;
    for (; w < half; w += 32) {
      const w0 = v128.and(v128.load(w), nibbles);
      const w1 = v128.and(v128.load(w, 16), nibbles);
      let v = v128.load32_splat(x + stride3);
      d0 = dot(d0, v, w0);
      d1 = dot(d1, v, w1);
      v = v128.load32_splat(x + stride2);
      c0 = dot(c0, v, w0);
      c1 = dot(c1, v, w1);
      v = v128.load32_splat(x + xStride);
      b0 = dot(b0, v, w0);
      b1 = dot(b1, v, w1);
      v = v128.load32_splat(x);
      a0 = dot(a0, v, w0);
      a1 = dot(a1, v, w1);
      x += 4;
    }
    w -= 128;
    for (; w < half; w += 32) {
      const w0 = upper(v128.load(w), nibbles);
      const w1 = upper(v128.load(w, 16), nibbles);
      let v = v128.load32_splat(x + stride3);
      d0 = dot(d0, v, w0);
      d1 = dot(d1, v, w1);
      v = v128.load32_splat(x + stride2);
      c0 = dot(c0, v, w0);
      c1 = dot(c1, v, w1);
      v = v128.load32_splat(x + xStride);
      b0 = dot(b0, v, w0);
      b1 = dot(b1, v, w1);
      v = v128.load32_splat(x);
      a0 = dot(a0, v, w0);
      a1 = dot(a1, v, w1);
      x += 4;
    }
    const scaleD = v128.load32_splat(scales + stride3);
    const scaleC = v128.load32_splat(scales + stride2);
    const scaleB = v128.load32_splat(scales + xStride);
    const scaleA = v128.load32_splat(scales);
    const mask = v128.load(HALF_MASK);
    const bits = v128.load(HALF_BIAS);
    const minus = v128.load(MINIMUM_BIAS);
    const scale0 = loadHalves(w, mask, bits);
    const scale1 = loadHalves(w + 8, mask, bits);
    const minimum0 = minima<M>(w + 16, mask, minus);
    const minimum1 = minima<M>(w + 24, mask, minus);
    let zero = offset<M>(offsets + stride3, scaleD);
    sumD0 = addBlock<M>(sumD0, join(d0), f32x4.mul(scale0, scaleD), zero, minimum0);
    sumD1 = addBlock<M>(sumD1, join(d1), f32x4.mul(scale1, scaleD), zero, minimum1);
    zero = offset<M>(offsets + stride2, scaleC);
    sumC0 = addBlock<M>(sumC0, join(c0), f32x4.mul(scale0, scaleC), zero, minimum0);
    sumC1 = addBlock<M>(sumC1, join(c1), f32x4.mul(scale1, scaleC), zero, minimum1);
    zero = offset<M>(offsets + xStride, scaleB);
    sumB0 = addBlock<M>(sumB0, join(b0), f32x4.mul(scale0, scaleB), zero, minimum0);
    sumB1 = addBlock<M>(sumB1, join(b1), f32x4.mul(scale1, scaleB), zero, minimum1);
    zero = offset<M>(offsets, scaleA);
    sumA0 = addBlock<M>(sumA0, join(a0), f32x4.mul(scale0, scaleA), zero, minimum0);
    sumA1 = addBlock<M>(sumA1, join(a1), f32x4.mul(scale1, scaleA), zero, minimum1);
    scales += 4;
    offsets += 4;
    w += blockBytes<M>() - 128;
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
  out += outStride;
  before += beforeStride;
  factor += factorStride;
  const lowD = result(sumD0, bias0, before, factor);
  const highD = result(sumD1, bias1, before + 16, factor + 16);
  v128.store(out, lowD);
  v128.store(out, highD, 16);
}
