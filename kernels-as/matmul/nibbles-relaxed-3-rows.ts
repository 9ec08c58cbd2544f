import { HALF_BIAS, HALF_MASK, MINIMUM_BIAS, NIBBLES } from '../constants';
import { dot, join } from './dot';
import { result, strideOf } from './epilogue';
import { addBlock, blockBytes, minima, offset } from './nibble-block';
import { loadHalves, upper } from '../vector';

/** As `fourRows` of nibbles-relaxed-1-2-4-rows.ts, for three rows. */
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
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  const minus = v128.load(MINIMUM_BIAS);
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  let sumA0 = v128.load(start);
  let sumA1 = v128.load(start, 16);
  let sumB0 = v128.load(start + startStride);
  let sumB1 = v128.load(start + startStride, 16);
  let sumC0 = v128.load(start + (startStride << 1));
  let sumC1 = v128.load(start + (startStride << 1), 16);
  const stride2 = xStride << 1;
  const end = x + ((<usize>blocks) << 5);
  for (; x < end; x += 16) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
    let c0 = a0;
    let c1 = a0;
    const blockEnd = x + 16;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.load(w);
      const w1 = v128.load(w, 16);
      const low0 = v128.and(w0, nibbles0);
      const low1 = v128.and(w1, nibbles1);
      const high0 = upper(w0, nibbles0);
      const high1 = upper(w1, nibbles1);
      let v = v128.load32_splat(x);
      a0 = dot(a0, v, low0);
      a1 = dot(a1, v, low1);
      v = v128.load32_splat(x, 16);
      a0 = dot(a0, v, high0);
      a1 = dot(a1, v, high1);
      v = v128.load32_splat(x + xStride);
      b0 = dot(b0, v, low0);
      b1 = dot(b1, v, low1);
      v = v128.load32_splat(x + xStride, 16);
      b0 = dot(b0, v, high0);
      b1 = dot(b1, v, high1);
      v = v128.load32_splat(x + stride2);
      c0 = dot(c0, v, low0);
      c1 = dot(c1, v, low1);
      v = v128.load32_splat(x + stride2, 16);
      c0 = dot(c0, v, high0);
      c1 = dot(c1, v, high1);
      w += 32;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    const minimum0 = minima<Q>(w + 16, mask, minus);
    const minimum1 = minima<Q>(w + 24, mask, minus);
    let scale = v128.load32_splat(scales);
    let zero = offset<Q>(offsets, scale);
    sumA0 = addBlock<Q>(sumA0, join(a0), f32x4.mul(scale0, scale), zero, minimum0);
    sumA1 = addBlock<Q>(sumA1, join(a1), f32x4.mul(scale1, scale), zero, minimum1);
    scale = v128.load32_splat(scales + xStride);
    zero = offset<Q>(offsets + xStride, scale);
    sumB0 = addBlock<Q>(sumB0, join(b0), f32x4.mul(scale0, scale), zero, minimum0);
    sumB1 = addBlock<Q>(sumB1, join(b1), f32x4.mul(scale1, scale), zero, minimum1);
    scale = v128.load32_splat(scales + stride2);
    zero = offset<Q>(offsets + stride2, scale);
    sumC0 = addBlock<Q>(sumC0, join(c0), f32x4.mul(scale0, scale), zero, minimum0);
    sumC1 = addBlock<Q>(sumC1, join(c1), f32x4.mul(scale1, scale), zero, minimum1);
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
