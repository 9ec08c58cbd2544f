import { joined } from './weighted-sum-1-query';

// As weighted-sum-1-query.ts, for four queries, whose values are loaded and widened once.

/** Four queries whose sums lie `stride` bytes apart, over the weights from `weights` to `end`, those of two tokens at once. */
export function fourQueries(
  sums: usize,
  stride: usize,
  factors: usize,
  units: usize,
  weights: usize,
  end: usize,
  values: usize,
  rowBytes: usize,
  count: i32,
): void {
  let dim = 0;
  if (!NARROW) {
    for (; dim + 16 <= count; dim += 16) {
      fourBySixteen(sums, stride, factors, units, weights, end, values, rowBytes);
      sums += 64;
      values += 32;
    }
  }
  for (; dim < count; dim += 8) {
    fourByEight(sums, stride, factors, units, weights, end, values, rowBytes);
    sums += 32;
    values += 16;
  }
}

/** Four queries, 16 dims. */
function fourBySixteen(
  sumsA: usize,
  stride: usize,
  factors: usize,
  units: usize,
  weights: usize,
  end: usize,
  values: usize,
  rowBytes: usize,
): void {
  let a0 = i32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let b0 = a0;
  let b1 = a0;
  let b2 = a0;
  let b3 = a0;
  let c0 = a0;
  let c1 = a0;
  let c2 = a0;
  let c3 = a0;
  let d0 = a0;
  let d1 = a0;
  let d2 = a0;
  let d3 = a0;
  for (; weights < end; weights += 4) {
    const bytes0 = v128.load(values);
    const bytes1 = v128.load(values, 16);
    const v0 = i16x8.extend_low_i8x16_s(bytes0);
    const v1 = i16x8.extend_high_i8x16_s(bytes0);
    const v2 = i16x8.extend_low_i8x16_s(bytes1);
    const v3 = i16x8.extend_high_i8x16_s(bytes1);
    let w = v128.load32_splat(weights);
    a0 = i32x4.add(a0, i32x4.dot_i16x8_s(v0, w));
    a1 = i32x4.add(a1, i32x4.dot_i16x8_s(v1, w));
    a2 = i32x4.add(a2, i32x4.dot_i16x8_s(v2, w));
    a3 = i32x4.add(a3, i32x4.dot_i16x8_s(v3, w));
    w = v128.load32_splat(weights, 64);
    b0 = i32x4.add(b0, i32x4.dot_i16x8_s(v0, w));
    b1 = i32x4.add(b1, i32x4.dot_i16x8_s(v1, w));
    b2 = i32x4.add(b2, i32x4.dot_i16x8_s(v2, w));
    b3 = i32x4.add(b3, i32x4.dot_i16x8_s(v3, w));
    w = v128.load32_splat(weights, 128);
    c0 = i32x4.add(c0, i32x4.dot_i16x8_s(v0, w));
    c1 = i32x4.add(c1, i32x4.dot_i16x8_s(v1, w));
    c2 = i32x4.add(c2, i32x4.dot_i16x8_s(v2, w));
    c3 = i32x4.add(c3, i32x4.dot_i16x8_s(v3, w));
    w = v128.load32_splat(weights, 192);
    d0 = i32x4.add(d0, i32x4.dot_i16x8_s(v0, w));
    d1 = i32x4.add(d1, i32x4.dot_i16x8_s(v1, w));
    d2 = i32x4.add(d2, i32x4.dot_i16x8_s(v2, w));
    d3 = i32x4.add(d3, i32x4.dot_i16x8_s(v3, w));
    values += rowBytes;
  }
  const sumsB = sumsA + stride;
  const sumsC = sumsB + stride;
  const sumsD = sumsC + stride;
  let factor = v128.load32_splat(factors);
  let unit = v128.load32_splat(units);
  let low = joined(a0, unit, v128.load(sumsA), factor);
  let high = joined(a1, unit, v128.load(sumsA, 16), factor);
  v128.store(sumsA, low);
  v128.store(sumsA, high, 16);
  low = joined(a2, unit, v128.load(sumsA, 32), factor);
  high = joined(a3, unit, v128.load(sumsA, 48), factor);
  v128.store(sumsA, low, 32);
  v128.store(sumsA, high, 48);
  factor = v128.load32_splat(factors, 4);
  unit = v128.load32_splat(units, 4);
  low = joined(b0, unit, v128.load(sumsB), factor);
  high = joined(b1, unit, v128.load(sumsB, 16), factor);
  v128.store(sumsB, low);
  v128.store(sumsB, high, 16);
  low = joined(b2, unit, v128.load(sumsB, 32), factor);
  high = joined(b3, unit, v128.load(sumsB, 48), factor);
  v128.store(sumsB, low, 32);
  v128.store(sumsB, high, 48);
  factor = v128.load32_splat(factors, 8);
  unit = v128.load32_splat(units, 8);
  low = joined(c0, unit, v128.load(sumsC), factor);
  high = joined(c1, unit, v128.load(sumsC, 16), factor);
  v128.store(sumsC, low);
  v128.store(sumsC, high, 16);
  low = joined(c2, unit, v128.load(sumsC, 32), factor);
  high = joined(c3, unit, v128.load(sumsC, 48), factor);
  v128.store(sumsC, low, 32);
  v128.store(sumsC, high, 48);
  factor = v128.load32_splat(factors, 12);
  unit = v128.load32_splat(units, 12);
  low = joined(d0, unit, v128.load(sumsD), factor);
  high = joined(d1, unit, v128.load(sumsD, 16), factor);
  v128.store(sumsD, low);
  v128.store(sumsD, high, 16);
  low = joined(d2, unit, v128.load(sumsD, 32), factor);
  high = joined(d3, unit, v128.load(sumsD, 48), factor);
  v128.store(sumsD, low, 32);
  v128.store(sumsD, high, 48);
}

/** Four queries, 8 dims. */
function fourByEight(
  sumsA: usize,
  stride: usize,
  factors: usize,
  units: usize,
  weights: usize,
  end: usize,
  values: usize,
  rowBytes: usize,
): void {
  let a0 = i32x4.splat(0);
  let a1 = a0;
  let b0 = a0;
  let b1 = a0;
  let c0 = a0;
  let c1 = a0;
  let d0 = a0;
  let d1 = a0;
  for (; weights < end; weights += 4) {
    const v0 = v128.load8x8_s(values);
    const v1 = v128.load8x8_s(values + 8);
    let w = v128.load32_splat(weights);
    a0 = i32x4.add(a0, i32x4.dot_i16x8_s(v0, w));
    a1 = i32x4.add(a1, i32x4.dot_i16x8_s(v1, w));
    w = v128.load32_splat(weights, 64);
    b0 = i32x4.add(b0, i32x4.dot_i16x8_s(v0, w));
    b1 = i32x4.add(b1, i32x4.dot_i16x8_s(v1, w));
    w = v128.load32_splat(weights, 128);
    c0 = i32x4.add(c0, i32x4.dot_i16x8_s(v0, w));
    c1 = i32x4.add(c1, i32x4.dot_i16x8_s(v1, w));
    w = v128.load32_splat(weights, 192);
    d0 = i32x4.add(d0, i32x4.dot_i16x8_s(v0, w));
    d1 = i32x4.add(d1, i32x4.dot_i16x8_s(v1, w));
    values += rowBytes;
  }
  const sumsB = sumsA + stride;
  const sumsC = sumsB + stride;
  const sumsD = sumsC + stride;
  let factor = v128.load32_splat(factors);
  let unit = v128.load32_splat(units);
  let low = joined(a0, unit, v128.load(sumsA), factor);
  let high = joined(a1, unit, v128.load(sumsA, 16), factor);
  v128.store(sumsA, low);
  v128.store(sumsA, high, 16);
  factor = v128.load32_splat(factors, 4);
  unit = v128.load32_splat(units, 4);
  low = joined(b0, unit, v128.load(sumsB), factor);
  high = joined(b1, unit, v128.load(sumsB, 16), factor);
  v128.store(sumsB, low);
  v128.store(sumsB, high, 16);
  factor = v128.load32_splat(factors, 8);
  unit = v128.load32_splat(units, 8);
  low = joined(c0, unit, v128.load(sumsC), factor);
  high = joined(c1, unit, v128.load(sumsC, 16), factor);
  v128.store(sumsC, low);
  v128.store(sumsC, high, 16);
  factor = v128.load32_splat(factors, 12);
  unit = v128.load32_splat(units, 12);
  low = joined(d0, unit, v128.load(sumsD), factor);
  high = joined(d1, unit, v128.load(sumsD, 16), factor);
  v128.store(sumsD, low);
  v128.store(sumsD, high, 16);
}
