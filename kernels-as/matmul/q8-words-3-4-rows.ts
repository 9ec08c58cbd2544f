import { HALF_BIAS, HALF_MASK } from '../constants';
import { result, strideOf } from './epilogue';
import { loadHalves, multiplyAdd } from '../vector';
import { dotWords } from './widen';

// As q8-words-1-2-rows.ts, for more rows in one fused op.

/** Three rows: each weight is widened once for all. The same sums in the same order as `oneRow`. */
export function threeRows(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  scaleStride: usize,
  w: usize,
  blocks: i32,
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
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
    let c0 = a0;
    let c1 = a0;
    const even = w + 256;
    for (; w < even; w += 32) {
      const w0 = i16x8.shl(v128.load(w), 8);
      const w1 = i16x8.shl(v128.load(w, 16), 8);
      let v = v128.load32_splat(x);
      a0 = dotWords(a0, v, w0);
      a1 = dotWords(a1, v, w1);
      v = v128.load32_splat(x + xStride);
      b0 = dotWords(b0, v, w0);
      b1 = dotWords(b1, v, w1);
      v = v128.load32_splat(x + stride2);
      c0 = dotWords(c0, v, w0);
      c1 = dotWords(c1, v, w1);
      x += 4;
    }
    a0 = i32x4.shr_s(a0, 8);
    a1 = i32x4.shr_s(a1, 8);
    b0 = i32x4.shr_s(b0, 8);
    b1 = i32x4.shr_s(b1, 8);
    c0 = i32x4.shr_s(c0, 8);
    c1 = i32x4.shr_s(c1, 8);
    for (w -= 256; w < even; w += 32) {
      const w0 = i16x8.shr_s(v128.load(w), 8);
      const w1 = i16x8.shr_s(v128.load(w, 16), 8);
      let v = v128.load32_splat(x);
      a0 = dotWords(a0, v, w0);
      a1 = dotWords(a1, v, w1);
      v = v128.load32_splat(x + xStride);
      b0 = dotWords(b0, v, w0);
      b1 = dotWords(b1, v, w1);
      v = v128.load32_splat(x + stride2);
      c0 = dotWords(c0, v, w0);
      c1 = dotWords(c1, v, w1);
      x += 4;
    }
    const mask = v128.load(HALF_MASK);
    const half = v128.load(HALF_BIAS);
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    let scale = v128.load32_splat(scales);
    sumA0 = multiplyAdd(f32x4.convert_i32x4_s(a0), f32x4.mul(scale0, scale), sumA0);
    sumA1 = multiplyAdd(f32x4.convert_i32x4_s(a1), f32x4.mul(scale1, scale), sumA1);
    scale = v128.load32_splat(scales + scaleStride);
    sumB0 = multiplyAdd(f32x4.convert_i32x4_s(b0), f32x4.mul(scale0, scale), sumB0);
    sumB1 = multiplyAdd(f32x4.convert_i32x4_s(b1), f32x4.mul(scale1, scale), sumB1);
    scale = v128.load32_splat(scales + (scaleStride << 1));
    sumC0 = multiplyAdd(f32x4.convert_i32x4_s(c0), f32x4.mul(scale0, scale), sumC0);
    sumC1 = multiplyAdd(f32x4.convert_i32x4_s(c1), f32x4.mul(scale1, scale), sumC1);
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

/** Four rows: each weight is widened once for all. The same sums in the same order as `oneRow`. */
export function fourRows(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  scaleStride: usize,
  w: usize,
  blocks: i32,
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
    const even = w + 256;
    for (; w < even; w += 32) {
      const w0 = i16x8.shl(v128.load(w), 8);
      const w1 = i16x8.shl(v128.load(w, 16), 8);
      let v = v128.load32_splat(x);
      a0 = dotWords(a0, v, w0);
      a1 = dotWords(a1, v, w1);
      v = v128.load32_splat(x + xStride);
      b0 = dotWords(b0, v, w0);
      b1 = dotWords(b1, v, w1);
      v = v128.load32_splat(x + stride2);
      c0 = dotWords(c0, v, w0);
      c1 = dotWords(c1, v, w1);
      v = v128.load32_splat(x + stride3);
      d0 = dotWords(d0, v, w0);
      d1 = dotWords(d1, v, w1);
      x += 4;
    }
    a0 = i32x4.shr_s(a0, 8);
    a1 = i32x4.shr_s(a1, 8);
    b0 = i32x4.shr_s(b0, 8);
    b1 = i32x4.shr_s(b1, 8);
    c0 = i32x4.shr_s(c0, 8);
    c1 = i32x4.shr_s(c1, 8);
    d0 = i32x4.shr_s(d0, 8);
    d1 = i32x4.shr_s(d1, 8);
    for (w -= 256; w < even; w += 32) {
      const w0 = i16x8.shr_s(v128.load(w), 8);
      const w1 = i16x8.shr_s(v128.load(w, 16), 8);
      let v = v128.load32_splat(x);
      a0 = dotWords(a0, v, w0);
      a1 = dotWords(a1, v, w1);
      v = v128.load32_splat(x + xStride);
      b0 = dotWords(b0, v, w0);
      b1 = dotWords(b1, v, w1);
      v = v128.load32_splat(x + stride2);
      c0 = dotWords(c0, v, w0);
      c1 = dotWords(c1, v, w1);
      v = v128.load32_splat(x + stride3);
      d0 = dotWords(d0, v, w0);
      d1 = dotWords(d1, v, w1);
      x += 4;
    }
    const mask = v128.load(HALF_MASK);
    const half = v128.load(HALF_BIAS);
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    let scale = v128.load32_splat(scales);
    sumA0 = multiplyAdd(f32x4.convert_i32x4_s(a0), f32x4.mul(scale0, scale), sumA0);
    sumA1 = multiplyAdd(f32x4.convert_i32x4_s(a1), f32x4.mul(scale1, scale), sumA1);
    scale = v128.load32_splat(scales + scaleStride);
    sumB0 = multiplyAdd(f32x4.convert_i32x4_s(b0), f32x4.mul(scale0, scale), sumB0);
    sumB1 = multiplyAdd(f32x4.convert_i32x4_s(b1), f32x4.mul(scale1, scale), sumB1);
    scale = v128.load32_splat(scales + (scaleStride << 1));
    sumC0 = multiplyAdd(f32x4.convert_i32x4_s(c0), f32x4.mul(scale0, scale), sumC0);
    sumC1 = multiplyAdd(f32x4.convert_i32x4_s(c1), f32x4.mul(scale1, scale), sumC1);
    scale = v128.load32_splat(scales + (scaleStride << 1) + scaleStride);
    sumD0 = multiplyAdd(f32x4.convert_i32x4_s(d0), f32x4.mul(scale0, scale), sumD0);
    sumD1 = multiplyAdd(f32x4.convert_i32x4_s(d1), f32x4.mul(scale1, scale), sumD1);
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
}
