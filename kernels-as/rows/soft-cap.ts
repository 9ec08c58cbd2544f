import { EXP2_P0, EXP2_P1, EXP2_P2, EXP2_P3, EXP2_P4, EXP2_P5, EXP2_ROUNDING, ONE, POWER_LEAST } from '../constants';
import { multiplyAdd, powerOfTwo } from '../vector';

/** 2 / ln 2. */
const TWICE_TO_BASE_TWO: f32 = 2.8853900817779268;

/** Below it tanh is a polynomial, because 1 − e would lose its digits. */
const SMALL: f32 = 0.625;

/**
 * x = cap · tanh(x / cap) of `count` floats from `x` on, a multiple of 4; by tanh |y| = (1 − e) / (1 + e) with
 * e = 2^(−2 |y| / ln 2). Source of the polynomial: Cephes, single/tanhf.c.
 */
export function softCap(x: usize, count: i32, cap: f32): void {
  const rounding = v128.load(EXP2_ROUNDING);
  const p0 = v128.load(EXP2_P0);
  const p1 = v128.load(EXP2_P1);
  const p2 = v128.load(EXP2_P2);
  const p3 = v128.load(EXP2_P3);
  const p4 = v128.load(EXP2_P4);
  const p5 = v128.load(EXP2_P5);
  const one = v128.load(ONE);
  const least = v128.load(POWER_LEAST);
  const factor = f32x4.splat(-TWICE_TO_BASE_TWO);
  const limit = f32x4.splat(cap);
  const sign = i32x4.splat(i32.MIN_VALUE);
  for (const end = x + ((<usize>count) << 2); x < end; x += 16) {
    const value = v128.load(x);
    const y = f32x4.div(f32x4.abs(value), limit);
    const exponent = f32x4.mul(y, factor);
    const e = powerOfTwo(exponent, rounding, p0, p1, p2, p3, p4, p5, one, least);
    const z = f32x4.mul(y, y);
    let p = multiplyAdd(f32x4.splat(-5.70498872745e-3), z, f32x4.splat(2.06390887954e-2));
    p = multiplyAdd(p, z, f32x4.splat(-5.37397155531e-2));
    p = multiplyAdd(p, z, f32x4.splat(1.33314422036e-1));
    p = multiplyAdd(p, z, f32x4.splat(-3.33332819422e-1));
    const small = multiplyAdd(f32x4.mul(p, z), y, y);
    const large = f32x4.div(f32x4.sub(one, e), f32x4.add(one, e));
    const tanh = v128.bitselect(small, large, f32x4.lt(y, f32x4.splat(SMALL)));
    v128.store(x, v128.bitselect(value, f32x4.mul(limit, tanh), sign));
  }
}
