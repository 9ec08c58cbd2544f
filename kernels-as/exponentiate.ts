// e^x over the scores of a block, in pairs of adjacent vectors that the revectorizer joins. Range reduction and
// polynomial: Cephes, single/expf.c, as `exp` in vector.ts, with the same bits.

import {
  EXP_LEAST,
  EXP_LN2_HIGH,
  EXP_LN2_LOW,
  EXP_LOG2E,
  EXP_MOST,
  EXP_P0,
  EXP_P1,
  EXP_P2,
  EXP_P3,
  EXP_P4,
  EXP_P5,
  EXP2_ROUNDING,
  ONE,
} from './constants';
import { multiplyAdd } from './vector';

/** e^(x − origin) of the `count` (a multiple of 8) floats at `at`, in place. */
export function exponentiate(at: usize, count: i32, origin: f32): void {
  const origins = f32x4.splat(origin);
  // Side by side, because the revectorizer does not pair loads that have another one between them.
  const least0 = v128.load(EXP_LEAST);
  const least1 = v128.load(EXP_LEAST, 16);
  const most0 = v128.load(EXP_MOST);
  const most1 = v128.load(EXP_MOST, 16);
  const log2e0 = v128.load(EXP_LOG2E);
  const log2e1 = v128.load(EXP_LOG2E, 16);
  const round0 = v128.load(EXP2_ROUNDING);
  const round1 = v128.load(EXP2_ROUNDING, 16);
  const high0 = v128.load(EXP_LN2_HIGH);
  const high1 = v128.load(EXP_LN2_HIGH, 16);
  const low0 = v128.load(EXP_LN2_LOW);
  const low1 = v128.load(EXP_LN2_LOW, 16);
  const c00 = v128.load(EXP_P0);
  const c01 = v128.load(EXP_P0, 16);
  const c10 = v128.load(EXP_P1);
  const c11 = v128.load(EXP_P1, 16);
  const c20 = v128.load(EXP_P2);
  const c21 = v128.load(EXP_P2, 16);
  const c30 = v128.load(EXP_P3);
  const c31 = v128.load(EXP_P3, 16);
  const c40 = v128.load(EXP_P4);
  const c41 = v128.load(EXP_P4, 16);
  const c50 = v128.load(EXP_P5);
  const c51 = v128.load(EXP_P5, 16);
  const one0 = v128.load(ONE);
  const one1 = v128.load(ONE, 16);
  const end = at + ((<usize>count) << 2);
  for (; at < end; at += 32) {
    const from0 = v128.load(at);
    const from1 = v128.load(at, 16);
    const x0 = f32x4.sub(from0, origins);
    const x1 = f32x4.sub(from1, origins);
    const cut0 = f32x4.pmin(f32x4.pmax(x0, least0), most0);
    const cut1 = f32x4.pmin(f32x4.pmax(x1, least1), most1);
    // Adding 1.5 · 2^23 rounds to an integer, which then lies in the lowest bits.
    const y0 = f32x4.add(f32x4.mul(cut0, log2e0), round0);
    const y1 = f32x4.add(f32x4.mul(cut1, log2e1), round1);
    const n0 = f32x4.sub(y0, round0);
    const n1 = f32x4.sub(y1, round1);
    let r0 = f32x4.sub(cut0, f32x4.mul(n0, high0));
    let r1 = f32x4.sub(cut1, f32x4.mul(n1, high1));
    r0 = f32x4.sub(r0, f32x4.mul(n0, low0));
    r1 = f32x4.sub(r1, f32x4.mul(n1, low1));
    let p0 = multiplyAdd(c00, r0, c10);
    let p1 = multiplyAdd(c01, r1, c11);
    p0 = multiplyAdd(p0, r0, c20);
    p1 = multiplyAdd(p1, r1, c21);
    p0 = multiplyAdd(p0, r0, c30);
    p1 = multiplyAdd(p1, r1, c31);
    p0 = multiplyAdd(p0, r0, c40);
    p1 = multiplyAdd(p1, r1, c41);
    p0 = multiplyAdd(p0, r0, c50);
    p1 = multiplyAdd(p1, r1, c51);
    p0 = multiplyAdd(p0, f32x4.mul(r0, r0), f32x4.add(r0, one0));
    p1 = multiplyAdd(p1, f32x4.mul(r1, r1), f32x4.add(r1, one1));
    // 2^n: the integer in the place of an exponent, beside that of 1.
    p0 = f32x4.mul(p0, i32x4.add(i32x4.shl(y0, 23), one0));
    p1 = f32x4.mul(p1, i32x4.add(i32x4.shl(y1, 23), one1));
    v128.store(at, p0);
    v128.store(at, p1, 16);
  }
}
