import { multiplyAdd } from './vector';

// sums = sums · factor + weights · values over the tokens of one block, for up to 32 dims. Weights f32 [queries][32],
// factors in the third word of each query's stats, f32 [4]. Every sum takes its tokens in order, one multiply-add each.
// V says what values are: i8, or f32 where they were widened for many queries; the sums are the same bits.

/** Bytes of eight values. */
function eight<V>(): usize {
  return sizeof<V>() << 3;
}

/** Eight int8 values as words; nothing where values are floats. */
function words<V>(values: usize): v128 {
  return isFloat<V>() ? i32x4.splat(0) : v128.load8x8_s(values);
}

/** The first four of these eight values as floats. */
function lower<V>(values: usize, words: v128): v128 {
  return isFloat<V>() ? v128.load(values) : f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(words));
}

/** The last four. */
function upper<V>(values: usize, words: v128): v128 {
  return isFloat<V>() ? v128.load(values, 16) : f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(words));
}

/** Four queries whose sums lie `stride` bytes apart. values: V, `rowBytes` from token to token; from `weights` to `end`. */
export function fourQueries<V>(
  sums: usize,
  stride: usize,
  stats: usize,
  weights: usize,
  end: usize,
  values: usize,
  rowBytes: usize,
  count: i32,
): void {
  let dim = 0;
  if (!NARROW) {
    for (; dim + 16 <= count; dim += 16) {
      fourBySixteen<V>(sums, stride, stats, weights, end, values, rowBytes);
      sums += 64;
      values += 2 * eight<V>();
    }
  }
  for (; dim < count; dim += 8) {
    fourByEight<V>(sums, stride, stats, weights, end, values, rowBytes);
    sums += 32;
    values += eight<V>();
  }
}

function fourBySixteen<V>(
  sumsA: usize,
  stride: usize,
  stats: usize,
  weights: usize,
  end: usize,
  values: usize,
  rowBytes: usize,
): void {
  const sumsB = sumsA + stride;
  const sumsC = sumsB + stride;
  const sumsD = sumsC + stride;
  let factor = v128.load32_splat(stats, 8);
  let a0 = f32x4.mul(v128.load(sumsA), factor);
  let a1 = f32x4.mul(v128.load(sumsA, 16), factor);
  let a2 = f32x4.mul(v128.load(sumsA, 32), factor);
  let a3 = f32x4.mul(v128.load(sumsA, 48), factor);
  factor = v128.load32_splat(stats, 24);
  let b0 = f32x4.mul(v128.load(sumsB), factor);
  let b1 = f32x4.mul(v128.load(sumsB, 16), factor);
  let b2 = f32x4.mul(v128.load(sumsB, 32), factor);
  let b3 = f32x4.mul(v128.load(sumsB, 48), factor);
  factor = v128.load32_splat(stats, 40);
  let c0 = f32x4.mul(v128.load(sumsC), factor);
  let c1 = f32x4.mul(v128.load(sumsC, 16), factor);
  let c2 = f32x4.mul(v128.load(sumsC, 32), factor);
  let c3 = f32x4.mul(v128.load(sumsC, 48), factor);
  factor = v128.load32_splat(stats, 56);
  let d0 = f32x4.mul(v128.load(sumsD), factor);
  let d1 = f32x4.mul(v128.load(sumsD, 16), factor);
  let d2 = f32x4.mul(v128.load(sumsD, 32), factor);
  let d3 = f32x4.mul(v128.load(sumsD, 48), factor);
  for (; weights < end; weights += 4) {
    const words0 = words<V>(values);
    const words1 = words<V>(values + eight<V>());
    const v0 = lower<V>(values, words0);
    const v1 = upper<V>(values, words0);
    const v2 = lower<V>(values + eight<V>(), words1);
    const v3 = upper<V>(values + eight<V>(), words1);
    let p = v128.load32_splat(weights);
    a0 = multiplyAdd(v0, p, a0);
    a1 = multiplyAdd(v1, p, a1);
    a2 = multiplyAdd(v2, p, a2);
    a3 = multiplyAdd(v3, p, a3);
    p = v128.load32_splat(weights, 128);
    b0 = multiplyAdd(v0, p, b0);
    b1 = multiplyAdd(v1, p, b1);
    b2 = multiplyAdd(v2, p, b2);
    b3 = multiplyAdd(v3, p, b3);
    p = v128.load32_splat(weights, 256);
    c0 = multiplyAdd(v0, p, c0);
    c1 = multiplyAdd(v1, p, c1);
    c2 = multiplyAdd(v2, p, c2);
    c3 = multiplyAdd(v3, p, c3);
    p = v128.load32_splat(weights, 384);
    d0 = multiplyAdd(v0, p, d0);
    d1 = multiplyAdd(v1, p, d1);
    d2 = multiplyAdd(v2, p, d2);
    d3 = multiplyAdd(v3, p, d3);
    values += rowBytes;
  }
  v128.store(sumsA, a0);
  v128.store(sumsA, a1, 16);
  v128.store(sumsA, a2, 32);
  v128.store(sumsA, a3, 48);
  v128.store(sumsB, b0);
  v128.store(sumsB, b1, 16);
  v128.store(sumsB, b2, 32);
  v128.store(sumsB, b3, 48);
  v128.store(sumsC, c0);
  v128.store(sumsC, c1, 16);
  v128.store(sumsC, c2, 32);
  v128.store(sumsC, c3, 48);
  v128.store(sumsD, d0);
  v128.store(sumsD, d1, 16);
  v128.store(sumsD, d2, 32);
  v128.store(sumsD, d3, 48);
}

function fourByEight<V>(
  sumsA: usize,
  stride: usize,
  stats: usize,
  weights: usize,
  end: usize,
  values: usize,
  rowBytes: usize,
): void {
  const sumsB = sumsA + stride;
  const sumsC = sumsB + stride;
  const sumsD = sumsC + stride;
  let factor = v128.load32_splat(stats, 8);
  let a0 = f32x4.mul(v128.load(sumsA), factor);
  let a1 = f32x4.mul(v128.load(sumsA, 16), factor);
  factor = v128.load32_splat(stats, 24);
  let b0 = f32x4.mul(v128.load(sumsB), factor);
  let b1 = f32x4.mul(v128.load(sumsB, 16), factor);
  factor = v128.load32_splat(stats, 40);
  let c0 = f32x4.mul(v128.load(sumsC), factor);
  let c1 = f32x4.mul(v128.load(sumsC, 16), factor);
  factor = v128.load32_splat(stats, 56);
  let d0 = f32x4.mul(v128.load(sumsD), factor);
  let d1 = f32x4.mul(v128.load(sumsD, 16), factor);
  for (; weights < end; weights += 4) {
    const words0 = words<V>(values);
    const v0 = lower<V>(values, words0);
    const v1 = upper<V>(values, words0);
    let p = v128.load32_splat(weights);
    a0 = multiplyAdd(v0, p, a0);
    a1 = multiplyAdd(v1, p, a1);
    p = v128.load32_splat(weights, 128);
    b0 = multiplyAdd(v0, p, b0);
    b1 = multiplyAdd(v1, p, b1);
    p = v128.load32_splat(weights, 256);
    c0 = multiplyAdd(v0, p, c0);
    c1 = multiplyAdd(v1, p, c1);
    p = v128.load32_splat(weights, 384);
    d0 = multiplyAdd(v0, p, d0);
    d1 = multiplyAdd(v1, p, d1);
    values += rowBytes;
  }
  v128.store(sumsA, a0);
  v128.store(sumsA, a1, 16);
  v128.store(sumsB, b0);
  v128.store(sumsB, b1, 16);
  v128.store(sumsC, c0);
  v128.store(sumsC, c1, 16);
  v128.store(sumsD, d0);
  v128.store(sumsD, d1, 16);
}

/** One query. */
export function oneQuery<V>(
  sums: usize,
  stats: usize,
  weights: usize,
  end: usize,
  values: usize,
  rowBytes: usize,
  count: i32,
): void {
  let dim = 0;
  if (!NARROW && isFloat<V>()) {
    for (; dim + 32 <= count; dim += 32) {
      oneByThirtyTwo(sums, stats, weights, end, values, rowBytes);
      sums += 128;
      values += 128;
    }
  }
  for (; dim + 16 <= count; dim += 16) {
    oneBySixteen<V>(sums, stats, weights, end, values, rowBytes);
    sums += 64;
    values += 2 * eight<V>();
  }
  const factor = v128.load32_splat(stats, 8);
  for (; dim < count; dim += 8) {
    let a0 = f32x4.mul(v128.load(sums), factor);
    let a1 = f32x4.mul(v128.load(sums, 16), factor);
    let v = values;
    for (let w = weights; w < end; w += 4) {
      const p = v128.load32_splat(w);
      const words0 = words<V>(v);
      a0 = multiplyAdd(lower<V>(v, words0), p, a0);
      a1 = multiplyAdd(upper<V>(v, words0), p, a1);
      v += rowBytes;
    }
    v128.store(sums, a0);
    v128.store(sums, a1, 16);
    sums += 32;
    values += eight<V>();
  }
}

function oneByThirtyTwo(sums: usize, stats: usize, weights: usize, end: usize, values: usize, rowBytes: usize): void {
  const factor = v128.load32_splat(stats, 8);
  let a0 = f32x4.mul(v128.load(sums), factor);
  let a1 = f32x4.mul(v128.load(sums, 16), factor);
  let a2 = f32x4.mul(v128.load(sums, 32), factor);
  let a3 = f32x4.mul(v128.load(sums, 48), factor);
  let a4 = f32x4.mul(v128.load(sums, 64), factor);
  let a5 = f32x4.mul(v128.load(sums, 80), factor);
  let a6 = f32x4.mul(v128.load(sums, 96), factor);
  let a7 = f32x4.mul(v128.load(sums, 112), factor);
  for (; weights < end; weights += 4) {
    const p = v128.load32_splat(weights);
    a0 = multiplyAdd(v128.load(values), p, a0);
    a1 = multiplyAdd(v128.load(values, 16), p, a1);
    a2 = multiplyAdd(v128.load(values, 32), p, a2);
    a3 = multiplyAdd(v128.load(values, 48), p, a3);
    a4 = multiplyAdd(v128.load(values, 64), p, a4);
    a5 = multiplyAdd(v128.load(values, 80), p, a5);
    a6 = multiplyAdd(v128.load(values, 96), p, a6);
    a7 = multiplyAdd(v128.load(values, 112), p, a7);
    values += rowBytes;
  }
  v128.store(sums, a0);
  v128.store(sums, a1, 16);
  v128.store(sums, a2, 32);
  v128.store(sums, a3, 48);
  v128.store(sums, a4, 64);
  v128.store(sums, a5, 80);
  v128.store(sums, a6, 96);
  v128.store(sums, a7, 112);
}

function oneBySixteen<V>(sums: usize, stats: usize, weights: usize, end: usize, values: usize, rowBytes: usize): void {
  const factor = v128.load32_splat(stats, 8);
  let a0 = f32x4.mul(v128.load(sums), factor);
  let a1 = f32x4.mul(v128.load(sums, 16), factor);
  let a2 = f32x4.mul(v128.load(sums, 32), factor);
  let a3 = f32x4.mul(v128.load(sums, 48), factor);
  for (; weights < end; weights += 4) {
    const words0 = words<V>(values);
    const words1 = words<V>(values + eight<V>());
    const p = v128.load32_splat(weights);
    a0 = multiplyAdd(lower<V>(values, words0), p, a0);
    a1 = multiplyAdd(upper<V>(values, words0), p, a1);
    a2 = multiplyAdd(lower<V>(values + eight<V>(), words1), p, a2);
    a3 = multiplyAdd(upper<V>(values + eight<V>(), words1), p, a3);
    values += rowBytes;
  }
  v128.store(sums, a0);
  v128.store(sums, a1, 16);
  v128.store(sums, a2, 32);
  v128.store(sums, a3, 48);
}
