// Arithmetic on vectors that several kernels share. Minima and maxima are the pseudo ones everywhere: one instruction
// on x64, where those that order NaN and zeros take six; there is no NaN to order, and −0 is as good as 0.

/** a · b + c. Relaxed: one instruction that may round once; portable: two roundings, the same on every CPU. */
export function multiplyAdd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/** f16 [4] at `from` → f32 [4], exact for all but infinities and NaN. `mask`, `bias`: HALF_MASK, HALF_BIAS. */
export function loadHalves(from: usize, mask: v128, bias: v128): v128 {
  return f32x4.mul(v128.and(i32x4.shl(v128.load16x4_s(from), 13), mask), bias);
}

/** The upper nibbles of 16 bytes. `mask`: NIBBLES. */
export function upper(w: v128, mask: v128): v128 {
  return v128.and(i16x8.shr_u(w, 4), mask);
}

/** One f16 → f32, exact for all but infinities and NaN. */
export function loadHalf(from: usize): f32 {
  const bits = (i32(load<i16>(from)) << 13) & 0x8fffffff;
  return reinterpret<f32>(bits) * reinterpret<f32>(0x77800000);
}

/** The sum of four lanes, in a fixed order. */
export function sumLanes(v: v128): f32 {
  const halves = f32x4.add(v, i32x4.shuffle(v, v, 2, 3, 0, 1));
  return f32x4.extract_lane(halves, 0) + f32x4.extract_lane(halves, 1);
}

/** The sum of four integers. */
export function sumIntegers(v: v128): i32 {
  const halves = i32x4.add(v, i32x4.shuffle(v, v, 2, 3, 0, 1));
  return i32x4.extract_lane(halves, 0) + i32x4.extract_lane(halves, 1);
}

/** The largest of four lanes, in each of them: V8 compiles the maximum of two f32 to branches, which are unpredictable. */
export function maxOfLanes(v: v128): v128 {
  const halves = f32x4.pmax(v, i32x4.shuffle(v, v, 2, 3, 0, 1));
  return f32x4.pmax(halves, i32x4.shuffle(halves, halves, 1, 0, 3, 2));
}

/** The largest lane of each of four vectors, in the lane of its number. */
export function maxAcross(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.pmax(i32x4.shuffle(a, b, 0, 4, 1, 5), i32x4.shuffle(a, b, 2, 6, 3, 7));
  const cd = f32x4.pmax(i32x4.shuffle(c, d, 0, 4, 1, 5), i32x4.shuffle(c, d, 2, 6, 3, 7));
  return f32x4.pmax(i64x2.shuffle(ab, cd, 0, 2), i64x2.shuffle(ab, cd, 1, 3));
}

/** The sum of the lanes of each of four vectors, in the lane of its number. */
export function sumAcross(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(i32x4.shuffle(a, b, 0, 4, 1, 5), i32x4.shuffle(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(i32x4.shuffle(c, d, 0, 4, 1, 5), i32x4.shuffle(c, d, 2, 6, 3, 7));
  return f32x4.add(i64x2.shuffle(ab, cd, 0, 2), i64x2.shuffle(ab, cd, 1, 3));
}

/** The largest of four lanes. */
export function maxLanes(v: v128): f32 {
  return f32x4.extract_lane(maxOfLanes(v), 0);
}

/**
 * e^x in each lane, within 2 units of the last place; x is cut to [−87.3, 88]. Range reduction and polynomial:
 * Cephes, single/expf.c. Whole numbers come from adding 1.5 · 2^23, in whose lowest bits they then stand. The constants
 * are arguments, as for `powerOfTwo`: EXP_LEAST, EXP_MOST, EXP_LOG2E, EXP2_ROUNDING and so on.
 */
export function exp(
  x: v128,
  least: v128,
  most: v128,
  log2e: v128,
  rounding: v128,
  ln2High: v128,
  ln2Low: v128,
  p0: v128,
  p1: v128,
  p2: v128,
  p3: v128,
  p4: v128,
  p5: v128,
  one: v128,
  bias: v128,
): v128 {
  const cut = f32x4.pmin(f32x4.pmax(x, least), most);
  const whole = f32x4.add(f32x4.mul(cut, log2e), rounding);
  const n = f32x4.sub(whole, rounding);
  let r = f32x4.sub(cut, f32x4.mul(n, ln2High));
  r = f32x4.sub(r, f32x4.mul(n, ln2Low));
  let p = multiplyAdd(p0, r, p1);
  p = multiplyAdd(p, r, p2);
  p = multiplyAdd(p, r, p3);
  p = multiplyAdd(p, r, p4);
  p = multiplyAdd(p, r, p5);
  p = multiplyAdd(p, f32x4.mul(r, r), f32x4.add(r, one));
  return f32x4.mul(p, i32x4.shl(i32x4.add(whole, bias), 23));
}

/**
 * 2^x in each lane for x ≤ 0, within 2 units of the last place, and 2^−126 for what is less. Adding 1.5 · 2^23 rounds x
 * to an integer, which then is in the lowest bits: shifted, they are what the exponent of the rest's power must grow
 * by. The constants are arguments, because a loop must load them before it begins: EXP2_ROUNDING, EXP2_P0 … EXP2_P5,
 * ONE, POWER_LEAST.
 */
export function powerOfTwo(
  x: v128,
  rounding: v128,
  p0: v128,
  p1: v128,
  p2: v128,
  p3: v128,
  p4: v128,
  p5: v128,
  one: v128,
  least: v128,
): v128 {
  const cut = f32x4.pmax(x, least);
  const whole = f32x4.add(cut, rounding);
  const r = f32x4.sub(cut, f32x4.sub(whole, rounding));
  let p = multiplyAdd(p0, r, p1);
  p = multiplyAdd(p, r, p2);
  p = multiplyAdd(p, r, p3);
  p = multiplyAdd(p, r, p4);
  p = multiplyAdd(p, r, p5);
  p = multiplyAdd(p, r, one);
  return i32x4.add(p, i32x4.shl(whole, 23));
}
