import { HALF_BIAS, HALF_MASK, MINIMUM_BIAS, NIBBLES } from '../constants';
import { dot, join } from './dot';
import { result, strideOf } from './epilogue';
import { addBlock, blockBytes, minima, offset } from './nibble-block';
import { loadHalves, upper } from '../vector';

// A byte holds two weights, columns c and 16 + c of its row. The 16-bit sums of a whole block fit:
// 16 products of at most 15 · 127 are 30,480. In the loops each row's dots follow one another, because V8 keeps that
// order: with all lower nibbles first its registers ran out (bench/log/kernels.md).

/**
 * One row: for each of `blocks` blocks of 32 columns an exact integer sum, then one multiply-add to the sums, which begin
 * with those at `start`.
 */
export function oneRow<Q>(
  out: usize,
  x: usize,
  scales: usize,
  offsets: usize,
  blocks: i32,
  w: usize,
  start: usize,
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
  const end = x + ((<usize>blocks) << 5);
  for (; x < end; x += 16) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    const blockEnd = x + 16;
    for (; x < blockEnd; x += 8) {
      let w0 = v128.load(w);
      let w1 = v128.load(w, 16);
      let v = v128.load32_splat(x);
      a0 = dot(a0, v, v128.and(w0, nibbles0));
      a1 = dot(a1, v, v128.and(w1, nibbles1));
      v = v128.load32_splat(x, 16);
      a0 = dot(a0, v, upper(w0, nibbles0));
      a1 = dot(a1, v, upper(w1, nibbles1));
      w0 = v128.load(w, 32);
      w1 = v128.load(w, 48);
      v = v128.load32_splat(x, 4);
      a0 = dot(a0, v, v128.and(w0, nibbles0));
      a1 = dot(a1, v, v128.and(w1, nibbles1));
      v = v128.load32_splat(x, 20);
      a0 = dot(a0, v, upper(w0, nibbles0));
      a1 = dot(a1, v, upper(w1, nibbles1));
      w += 64;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    const minimum0 = minima<Q>(w + 16, mask, minus);
    const minimum1 = minima<Q>(w + 24, mask, minus);
    const scale = v128.load32_splat(scales);
    const zero = offset<Q>(offsets, scale);
    sumA0 = addBlock<Q>(sumA0, join(a0), f32x4.mul(scale0, scale), zero, minimum0);
    sumA1 = addBlock<Q>(sumA1, join(a1), f32x4.mul(scale1, scale), zero, minimum1);
    scales += 4;
    offsets += 4;
    w += blockBytes<Q>() - 128;
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const lowA = result(sumA0, bias0, before, factor);
  const highA = result(sumA1, bias1, before + 16, factor + 16);
  v128.store(out, lowA);
  v128.store(out, highA, 16);
}

/** Two rows: each weight is loaded and unpacked once for all. The same sums in the same order as `oneRow`. */
export function twoRows<Q>(
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
  const end = x + ((<usize>blocks) << 5);
  for (; x < end; x += 16) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
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
}

/** Four rows: each weight is loaded and unpacked once for all. The same sums in the same order as `oneRow`. */
export function fourRows<Q>(
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
  let sumD0 = v128.load(start + (startStride << 1) + startStride);
  let sumD1 = v128.load(start + (startStride << 1) + startStride, 16);
  const stride2 = xStride << 1;
  const stride3 = xStride + stride2;
  const end = x + ((<usize>blocks) << 5);
  for (; x < end; x += 16) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
    let c0 = a0;
    let c1 = a0;
    let d0 = a0;
    let d1 = a0;
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
      v = v128.load32_splat(x + stride3);
      d0 = dot(d0, v, low0);
      d1 = dot(d1, v, low1);
      v = v128.load32_splat(x + stride3, 16);
      d0 = dot(d0, v, high0);
      d1 = dot(d1, v, high1);
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
    scale = v128.load32_splat(scales + stride3);
    zero = offset<Q>(offsets + stride3, scale);
    sumD0 = addBlock<Q>(sumD0, join(d0), f32x4.mul(scale0, scale), zero, minimum0);
    sumD1 = addBlock<Q>(sumD1, join(d1), f32x4.mul(scale1, scale), zero, minimum1);
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
  out += outStride;
  before += beforeStride;
  factor += factorStride;
  const lowD = result(sumD0, bias0, before, factor);
  const highD = result(sumD1, bias1, before + 16, factor + 16);
  v128.store(out, lowD);
  v128.store(out, highD, 16);
}
