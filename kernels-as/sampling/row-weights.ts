import {
  EXP2_MOST,
  EXP2_P0,
  EXP2_P1,
  EXP2_P2,
  EXP2_P3,
  EXP2_P4,
  EXP2_P5,
  EXP2_ROUNDING,
  ONE,
  WEIGHT_EXPONENT,
} from '../constants';
import { BLOCK, BLOCK_BYTES, blockSumsAt, listAt } from './row-layout';

/** How often the weights of four logits are halved. max, scale: splats; scale: halvings a logit. */
function halvings(logits: v128, max: v128, scale: v128): v128 {
  return f32x4.mul(f32x4.sub(max, logits), scale);
}

/**
 * 2^(33 − halvings) in each lane, 0 from 160 halvings on. Range reduction by adding and taking away what leaves a whole
 * number in the low bits; polynomial: Cephes, single/exp2f.c, with its terms in pairs (Estrin), so that they do not all
 * wait for each other. No order of operations is left to the compiler. The constants are arguments, because a loop must
 * load them before it begins: EXP2_MOST, EXP2_ROUNDING, EXP2_P0 … EXP2_P5, ONE, WEIGHT_EXPONENT.
 */
function mass(
  halvings: v128,
  most: v128,
  rounding: v128,
  p0: v128,
  p1: v128,
  p2: v128,
  p3: v128,
  p4: v128,
  p5: v128,
  one: v128,
  exponent: v128,
): v128 {
  const x = f32x4.pmin(halvings, most);
  const shifted = f32x4.add(x, rounding);
  const r = f32x4.sub(f32x4.sub(shifted, rounding), x);
  const square = f32x4.mul(r, r);
  const high = f32x4.add(f32x4.mul(p0, r), p1);
  const middle = f32x4.add(f32x4.mul(p2, r), p3);
  const low = f32x4.add(f32x4.mul(p4, r), p5);
  const upper = f32x4.add(f32x4.mul(high, square), middle);
  const p = f32x4.add(f32x4.mul(f32x4.add(f32x4.mul(upper, square), low), r), one);
  return f32x4.mul(p, i32x4.shl(i32x4.sub(exponent, shifted), 23));
}

/** Writes 2^(33 − halvings), not rounded, for the tokens of one block: in pairs of vectors, which V8 can join. */
function massesOfBlock(values: usize, target: usize, max: f32, scale: f32): void {
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  const most = v128.load(EXP2_MOST);
  const rounding = v128.load(EXP2_ROUNDING);
  const p0 = v128.load(EXP2_P0);
  const p1 = v128.load(EXP2_P1);
  const p2 = v128.load(EXP2_P2);
  const p3 = v128.load(EXP2_P3);
  const p4 = v128.load(EXP2_P4);
  const p5 = v128.load(EXP2_P5);
  const one = v128.load(ONE);
  const exponent = v128.load(WEIGHT_EXPONENT);
  for (let at: usize = 0; at < BLOCK_BYTES; at += 32) {
    const a = v128.load(values + at);
    const b = v128.load(values + at, 16);
    const massA = mass(halvings(a, top, factor), most, rounding, p0, p1, p2, p3, p4, p5, one, exponent);
    const massB = mass(halvings(b, top, factor), most, rounding, p0, p1, p2, p3, p4, p5, one, exponent);
    v128.store(target + at, massA);
    v128.store(target + at, massB, 16);
  }
}

/** round(2^(33 − halvings)) in each lane, for halvings from 0 on. */
export function massOf(halvings: v128): v128 {
  return f32x4.nearest(
    mass(
      halvings,
      v128.load(EXP2_MOST),
      v128.load(EXP2_ROUNDING),
      v128.load(EXP2_P0),
      v128.load(EXP2_P1),
      v128.load(EXP2_P2),
      v128.load(EXP2_P3),
      v128.load(EXP2_P4),
      v128.load(EXP2_P5),
      v128.load(ONE),
      v128.load(WEIGHT_EXPONENT),
    ),
  );
}

/** What a token weighs: round(2^(33 − halvings)). */
export function weightOf(halvings: f32): f32 {
  return f32x4.extract_lane(massOf(f32x4.splat(halvings)), 0);
}

/** The two upper lanes in doubles. */
export function promoteHigh(v: v128): v128 {
  return f64x2.promote_low_f32x4(i32x4.shuffle(v, v, 2, 3, 0, 1));
}

/** Four lanes in doubles, the upper two added to the lower two. */
function promoteSum(v: v128): v128 {
  return f64x2.add(f64x2.promote_low_f32x4(v), promoteHigh(v));
}

/** Both lanes added. */
export function sumPair(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

/**
 * Writes for each block what its tokens weigh together, before anything is rounded. Of each four the last two are added to
 * the first two; these two sums go on in the order of ids, and are added in the end.
 */
export function blockMasses(
  values: usize,
  row: usize,
  size: usize,
  part: i32,
  from: usize,
  to: usize,
  max: f32,
  scale: f32,
): void {
  const sums = blockSumsAt(row, size);
  const masses = listAt(row, size) + from * BLOCK_BYTES;
  for (let block = from; block < to; block++) {
    massesOfBlock(values + block * BLOCK_BYTES, masses, max, scale);
    let sum = f64x2.splat(0);
    for (let at = masses; at < masses + BLOCK_BYTES; at += 16) sum = f64x2.add(sum, promoteSum(v128.load(at)));
    store<f64>(sums + (block << 3), sumPair(sum));
  }
}

/** The sums that were written for the blocks, added in their order. */
export function sumOfBlocks(row: usize, size: usize): f64 {
  const sums = blockSumsAt(row, size);
  let sum: f64 = 0;
  for (let block: usize = 0; block < size / BLOCK; block++) sum += load<f64>(sums + (block << 3));
  return sum;
}
