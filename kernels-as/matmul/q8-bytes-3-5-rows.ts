import { FLIP, HALF_BIAS, HALF_MASK } from '../constants';
import { dot } from './dot';
import { result, strideOf } from './epilogue';
import { without, zeroPoint } from './q8-bytes-1-2-4-rows';
import { loadHalves, multiplyAdd } from '../vector';

// As q8-bytes-1-2-4-rows.ts: the numbers of rows that draft tokens make of one sequence, together.

/** Three rows: each weight is loaded and unpacked once for all. The same sums in the same order as `oneRow`. */
export function threeRows(
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
  const flip0 = v128.load(FLIP);
  const flip1 = v128.load(FLIP, 16);
  let sumA0 = f32x4.splat(0);
  let sumA1 = sumA0;
  let sumB0 = sumA0;
  let sumB1 = sumA0;
  let sumC0 = sumA0;
  let sumC1 = sumA0;
  const stride2 = xStride << 1;
  const offsets = <usize>columns >> 3;
  let scales = x + <usize>columns;
  const end = scales;
  while (x < end) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
    let c0 = a0;
    let c1 = a0;
    const blockEnd = x + 32;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.xor(v128.load(w), flip0);
      const w1 = v128.xor(v128.load(w, 16), flip1);
      let v = v128.load32_splat(x);
      a0 = dot(a0, v, w0);
      a1 = dot(a1, v, w1);
      v = v128.load32_splat(x + xStride);
      b0 = dot(b0, v, w0);
      b1 = dot(b1, v, w1);
      v = v128.load32_splat(x + stride2);
      c0 = dot(c0, v, w0);
      c1 = dot(c1, v, w1);
      w += 32;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    let scale = v128.load32_splat(scales);
    let zero = zeroPoint(scales + offsets);
    sumA0 = multiplyAdd(without(a0, zero), f32x4.mul(scale0, scale), sumA0);
    sumA1 = multiplyAdd(without(a1, zero), f32x4.mul(scale1, scale), sumA1);
    scale = v128.load32_splat(scales + xStride);
    zero = zeroPoint(scales + offsets + xStride);
    sumB0 = multiplyAdd(without(b0, zero), f32x4.mul(scale0, scale), sumB0);
    sumB1 = multiplyAdd(without(b1, zero), f32x4.mul(scale1, scale), sumB1);
    scale = v128.load32_splat(scales + stride2);
    zero = zeroPoint(scales + offsets + stride2);
    sumC0 = multiplyAdd(without(c0, zero), f32x4.mul(scale0, scale), sumC0);
    sumC1 = multiplyAdd(without(c1, zero), f32x4.mul(scale1, scale), sumC1);
    scales += 4;
    w += 16;
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

/** Five rows: each weight is loaded and unpacked once for all. The same sums in the same order as `oneRow`. */
export function fiveRows(
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
  const flip0 = v128.load(FLIP);
  const flip1 = v128.load(FLIP, 16);
  let sumA0 = f32x4.splat(0);
  let sumA1 = sumA0;
  let sumB0 = sumA0;
  let sumB1 = sumA0;
  let sumC0 = sumA0;
  let sumC1 = sumA0;
  let sumD0 = sumA0;
  let sumD1 = sumA0;
  let sumE0 = sumA0;
  let sumE1 = sumA0;
  const stride2 = xStride << 1;
  const stride3 = xStride + stride2;
  const stride4 = xStride << 2;
  const offsets = <usize>columns >> 3;
  let scales = x + <usize>columns;
  const end = scales;
  while (x < end) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
    let c0 = a0;
    let c1 = a0;
    let d0 = a0;
    let d1 = a0;
    let e0 = a0;
    let e1 = a0;
    const blockEnd = x + 32;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.xor(v128.load(w), flip0);
      const w1 = v128.xor(v128.load(w, 16), flip1);
      let v = v128.load32_splat(x);
      a0 = dot(a0, v, w0);
      a1 = dot(a1, v, w1);
      v = v128.load32_splat(x + xStride);
      b0 = dot(b0, v, w0);
      b1 = dot(b1, v, w1);
      v = v128.load32_splat(x + stride2);
      c0 = dot(c0, v, w0);
      c1 = dot(c1, v, w1);
      v = v128.load32_splat(x + stride3);
      d0 = dot(d0, v, w0);
      d1 = dot(d1, v, w1);
      v = v128.load32_splat(x + stride4);
      e0 = dot(e0, v, w0);
      e1 = dot(e1, v, w1);
      w += 32;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    let scale = v128.load32_splat(scales);
    let zero = zeroPoint(scales + offsets);
    sumA0 = multiplyAdd(without(a0, zero), f32x4.mul(scale0, scale), sumA0);
    sumA1 = multiplyAdd(without(a1, zero), f32x4.mul(scale1, scale), sumA1);
    scale = v128.load32_splat(scales + xStride);
    zero = zeroPoint(scales + offsets + xStride);
    sumB0 = multiplyAdd(without(b0, zero), f32x4.mul(scale0, scale), sumB0);
    sumB1 = multiplyAdd(without(b1, zero), f32x4.mul(scale1, scale), sumB1);
    scale = v128.load32_splat(scales + stride2);
    zero = zeroPoint(scales + offsets + stride2);
    sumC0 = multiplyAdd(without(c0, zero), f32x4.mul(scale0, scale), sumC0);
    sumC1 = multiplyAdd(without(c1, zero), f32x4.mul(scale1, scale), sumC1);
    scale = v128.load32_splat(scales + stride3);
    zero = zeroPoint(scales + offsets + stride3);
    sumD0 = multiplyAdd(without(d0, zero), f32x4.mul(scale0, scale), sumD0);
    sumD1 = multiplyAdd(without(d1, zero), f32x4.mul(scale1, scale), sumD1);
    scale = v128.load32_splat(scales + stride4);
    zero = zeroPoint(scales + offsets + stride4);
    sumE0 = multiplyAdd(without(e0, zero), f32x4.mul(scale0, scale), sumE0);
    sumE1 = multiplyAdd(without(e1, zero), f32x4.mul(scale1, scale), sumE1);
    scales += 4;
    w += 16;
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
  out += outStride;
  before += beforeStride;
  factor += factorStride;
  const lowE = result(sumE0, bias0, before, factor);
  const highE = result(sumE1, bias1, before + 16, factor + 16);
  v128.store(out, lowE);
  v128.store(out, highE, 16);
}
