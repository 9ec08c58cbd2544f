import { multiplyAdd } from './vector';

// Int8 values times float weights, in tiles for registers of 256 bits.

/** Eight int8 values → f32, the first four of them. */
function firstFour(v: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(v));
}

/** The last four of eight. */
function lastFour(v: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(v));
}

/** sums = sums · factor + weights · values for 16 dims of one head. `end`: one past the last weight. */
function addOne(sums: usize, stats: usize, weights: usize, values: usize, stride: usize, end: usize): void {
  const factor = v128.load32_splat(stats, 8);
  let a0 = f32x4.mul(v128.load(sums), factor);
  let a1 = f32x4.mul(v128.load(sums, 16), factor);
  let a2 = f32x4.mul(v128.load(sums, 32), factor);
  let a3 = f32x4.mul(v128.load(sums, 48), factor);
  for (; weights < end; weights += 4) {
    const low = v128.load8x8_s(values);
    const high = v128.load8x8_s(values, 8);
    const v0 = firstFour(low);
    const v1 = lastFour(low);
    const v2 = firstFour(high);
    const v3 = lastFour(high);
    const p = v128.load32_splat(weights);
    a0 = multiplyAdd(v0, p, a0);
    a1 = multiplyAdd(v1, p, a1);
    a2 = multiplyAdd(v2, p, a2);
    a3 = multiplyAdd(v3, p, a3);
    values += stride;
  }
  v128.store(sums, a0);
  v128.store(sums, a1, 16);
  v128.store(sums, a2, 32);
  v128.store(sums, a3, 48);
}

/** sums = sums · factor + weights · values for 16 dims of two heads. `end`: one past the last weight. */
function addTwo(
  sums: usize,
  headBytes: usize,
  stats: usize,
  weights: usize,
  values: usize,
  stride: usize,
  end: usize,
): void {
  const sumsB = sums + headBytes;
  let factor = v128.load32_splat(stats, 8);
  let a0 = f32x4.mul(v128.load(sums), factor);
  let a1 = f32x4.mul(v128.load(sums, 16), factor);
  let a2 = f32x4.mul(v128.load(sums, 32), factor);
  let a3 = f32x4.mul(v128.load(sums, 48), factor);
  factor = v128.load32_splat(stats, 24);
  let b0 = f32x4.mul(v128.load(sumsB), factor);
  let b1 = f32x4.mul(v128.load(sumsB, 16), factor);
  let b2 = f32x4.mul(v128.load(sumsB, 32), factor);
  let b3 = f32x4.mul(v128.load(sumsB, 48), factor);
  for (; weights < end; weights += 4) {
    const low = v128.load8x8_s(values);
    const high = v128.load8x8_s(values, 8);
    const v0 = firstFour(low);
    const v1 = lastFour(low);
    const v2 = firstFour(high);
    const v3 = lastFour(high);
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
    values += stride;
  }
  v128.store(sums, a0);
  v128.store(sums, a1, 16);
  v128.store(sums, a2, 32);
  v128.store(sums, a3, 48);
  v128.store(sumsB, b0);
  v128.store(sumsB, b1, 16);
  v128.store(sumsB, b2, 32);
  v128.store(sumsB, b3, 48);
}

/** sums = sums · factor + weights · values for 16 dims of four heads. `end`: one past the last weight. */
function addFour(
  sums: usize,
  headBytes: usize,
  stats: usize,
  weights: usize,
  values: usize,
  stride: usize,
  end: usize,
): void {
  const sumsB = sums + headBytes;
  const sumsC = sumsB + headBytes;
  const sumsD = sumsC + headBytes;
  let factor = v128.load32_splat(stats, 8);
  let a0 = f32x4.mul(v128.load(sums), factor);
  let a1 = f32x4.mul(v128.load(sums, 16), factor);
  let a2 = f32x4.mul(v128.load(sums, 32), factor);
  let a3 = f32x4.mul(v128.load(sums, 48), factor);
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
    const low = v128.load8x8_s(values);
    const high = v128.load8x8_s(values, 8);
    const v0 = firstFour(low);
    const v1 = lastFour(low);
    const v2 = firstFour(high);
    const v3 = lastFour(high);
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
    values += stride;
  }
  v128.store(sums, a0);
  v128.store(sums, a1, 16);
  v128.store(sums, a2, 32);
  v128.store(sums, a3, 48);
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

/** The same for all heads of the group: sums `headBytes` apart, stats 16 bytes, weights 128. */
export function addWide(
  sums: usize,
  headBytes: usize,
  stats: usize,
  weights: usize,
  values: usize,
  stride: usize,
  end: usize,
  groupSize: i32,
): void {
  let left = groupSize;
  for (; left >= 4; left -= 4) {
    addFour(sums, headBytes, stats, weights, values, stride, end);
    sums += headBytes << 2;
    stats += 64;
    weights += 512;
    end += 512;
  }
  if (left >= 2) {
    addTwo(sums, headBytes, stats, weights, values, stride, end);
    sums += headBytes << 1;
    stats += 32;
    weights += 256;
    end += 256;
    left -= 2;
  }
  if (left) addOne(sums, stats, weights, values, stride, end);
}
