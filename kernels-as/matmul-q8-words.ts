import { HALF_BIAS, HALF_MASK } from './constants';
import { result, strideOf } from './epilogue';
import { loadHalves, multiplyAdd } from './vector';

// Weights and activations widened to 16 bits: for plain SIMD128, and for registers of 128 bits, where that is fastest.

/** Four activations at `x` as i16, twice over: one pair for each two lanes of a row. */
function activations(x: usize): v128 {
  return i16x8.extend_low_i8x16_s(v128.load32_splat(x));
}

/** sum + products of the four activations with eight int8 at `w` (two rows): each row's sum lies in two lanes. */
function dot(sum: v128, w: v128, x: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(w, x));
}

/** Two vectors of lane pairs → one sum for each of four rows, as f32. */
function joinPairs(a: v128, b: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.add(i32x4.shuffle(a, b, 0, 2, 4, 6), i32x4.shuffle(a, b, 1, 3, 5, 7)));
}

/** One row: for each block of 32 columns an exact integer sum, then one multiply-add. */
export function oneRow(out: usize, x: usize, w: usize, columns: i32, bias: usize, before: usize, factor: usize): void {
  const mask = v128.load(HALF_MASK);
  const half = v128.load(HALF_BIAS);
  let sum0 = f32x4.splat(0);
  let sum1 = sum0;
  let scales = x + <usize>columns;
  const end = scales;
  for (; x < end; x += 32) {
    let p0 = i32x4.splat(0);
    let p1 = p0;
    let p2 = p0;
    let p3 = p0;
    let v: v128;
    v = activations(x);
    p0 = dot(p0, v128.load8x8_s(w), v);
    p1 = dot(p1, v128.load8x8_s(w, 8), v);
    p2 = dot(p2, v128.load8x8_s(w, 16), v);
    p3 = dot(p3, v128.load8x8_s(w, 24), v);
    v = activations(x + 4);
    p0 = dot(p0, v128.load8x8_s(w, 32), v);
    p1 = dot(p1, v128.load8x8_s(w, 40), v);
    p2 = dot(p2, v128.load8x8_s(w, 48), v);
    p3 = dot(p3, v128.load8x8_s(w, 56), v);
    v = activations(x + 8);
    p0 = dot(p0, v128.load8x8_s(w, 64), v);
    p1 = dot(p1, v128.load8x8_s(w, 72), v);
    p2 = dot(p2, v128.load8x8_s(w, 80), v);
    p3 = dot(p3, v128.load8x8_s(w, 88), v);
    v = activations(x + 12);
    p0 = dot(p0, v128.load8x8_s(w, 96), v);
    p1 = dot(p1, v128.load8x8_s(w, 104), v);
    p2 = dot(p2, v128.load8x8_s(w, 112), v);
    p3 = dot(p3, v128.load8x8_s(w, 120), v);
    v = activations(x + 16);
    p0 = dot(p0, v128.load8x8_s(w, 128), v);
    p1 = dot(p1, v128.load8x8_s(w, 136), v);
    p2 = dot(p2, v128.load8x8_s(w, 144), v);
    p3 = dot(p3, v128.load8x8_s(w, 152), v);
    v = activations(x + 20);
    p0 = dot(p0, v128.load8x8_s(w, 160), v);
    p1 = dot(p1, v128.load8x8_s(w, 168), v);
    p2 = dot(p2, v128.load8x8_s(w, 176), v);
    p3 = dot(p3, v128.load8x8_s(w, 184), v);
    v = activations(x + 24);
    p0 = dot(p0, v128.load8x8_s(w, 192), v);
    p1 = dot(p1, v128.load8x8_s(w, 200), v);
    p2 = dot(p2, v128.load8x8_s(w, 208), v);
    p3 = dot(p3, v128.load8x8_s(w, 216), v);
    v = activations(x + 28);
    p0 = dot(p0, v128.load8x8_s(w, 224), v);
    p1 = dot(p1, v128.load8x8_s(w, 232), v);
    p2 = dot(p2, v128.load8x8_s(w, 240), v);
    p3 = dot(p3, v128.load8x8_s(w, 248), v);
    const scale = v128.load32_splat(scales);
    sum0 = multiplyAdd(joinPairs(p0, p1), f32x4.mul(loadHalves(w + 256, mask, half), scale), sum0);
    sum1 = multiplyAdd(joinPairs(p2, p3), f32x4.mul(loadHalves(w + 264, mask, half), scale), sum1);
    scales += 4;
    w += 272;
  }
  const bias0 = v128.load(bias);
  const bias1 = v128.load(bias, 16);
  const lowA = result(sum0, bias0, before, factor);
  const highA = result(sum1, bias1, before + 16, factor + 16);
  v128.store(out, lowA);
  v128.store(out, highA, 16);
}

/** Two rows: each weight is loaded and widened once for both. The same sums in the same order as `oneRow`. */
export function twoRows(
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
  let sumA0 = f32x4.splat(0);
  let sumA1 = sumA0;
  let sumB0 = sumA0;
  let sumB1 = sumA0;
  let scales = x + <usize>columns;
  const end = scales;
  while (x < end) {
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = a0;
    let b1 = a0;
    let b2 = a0;
    let b3 = a0;
    const blockEnd = x + 32;
    for (; x < blockEnd; x += 4) {
      const w0 = v128.load8x8_s(w);
      const w1 = v128.load8x8_s(w, 8);
      const w2 = v128.load8x8_s(w, 16);
      const w3 = v128.load8x8_s(w, 24);
      const a = activations(x);
      const b = activations(x + xStride);
      a0 = dot(a0, w0, a);
      a1 = dot(a1, w1, a);
      a2 = dot(a2, w2, a);
      a3 = dot(a3, w3, a);
      b0 = dot(b0, w0, b);
      b1 = dot(b1, w1, b);
      b2 = dot(b2, w2, b);
      b3 = dot(b3, w3, b);
      w += 32;
    }
    const scale0 = loadHalves(w, mask, half);
    const scale1 = loadHalves(w + 8, mask, half);
    const scaleA = v128.load32_splat(scales);
    const scaleB = v128.load32_splat(scales + xStride);
    sumA0 = multiplyAdd(joinPairs(a0, a1), f32x4.mul(scale0, scaleA), sumA0);
    sumA1 = multiplyAdd(joinPairs(a2, a3), f32x4.mul(scale1, scaleA), sumA1);
    sumB0 = multiplyAdd(joinPairs(b0, b1), f32x4.mul(scale0, scaleB), sumB0);
    sumB1 = multiplyAdd(joinPairs(b2, b3), f32x4.mul(scale1, scaleB), sumB1);
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
}
