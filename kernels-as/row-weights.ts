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
} from './constants';
import { BLOCK, blockMaxAt, blockSumsAt, blockWeightsAt, weightsAt } from './row-layout';

/** A token further from the largest logit, in halvings of its weight, weighs nothing. */
const WEIGHTLESS: f32 = 37;

/** How often the weights of four logits are halved. max, scale: splats; scale: halvings a logit. */
export function halvings(logits: v128, max: v128, scale: v128): v128 {
  return f32x4.mul(f32x4.sub(max, logits), scale);
}

/**
 * 2^(35 − halvings) in each lane, 0 from 162 halvings on. Range reduction by adding and taking away what leaves a whole
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

/** Writes 2^(35 − halvings), not rounded, for the tokens of one block: in pairs of vectors, which V8 can join. */
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
  for (let at: usize = 0; at < BLOCK << 2; at += 32) {
    const a = v128.load(values + at);
    const b = v128.load(values + at, 16);
    const massA = mass(halvings(a, top, factor), most, rounding, p0, p1, p2, p3, p4, p5, one, exponent);
    const massB = mass(halvings(b, top, factor), most, rounding, p0, p1, p2, p3, p4, p5, one, exponent);
    v128.store(target + at, massA);
    v128.store(target + at, massB, 16);
  }
}

/** The two upper lanes in doubles. */
export function promoteHigh(v: v128): v128 {
  return f64x2.promote_low_f32x4(i32x4.shuffle(v, v, 2, 3, 0, 1));
}

/** Four lanes in doubles, the upper two added to the lower two. */
export function promoteSum(v: v128): v128 {
  return f64x2.add(f64x2.promote_low_f32x4(v), promoteHigh(v));
}

/** Both lanes added. */
export function sumPair(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

/**
 * Writes the weight of every token, round(2^35 × 2^−halvings), and the sums of the blocks; returns what all weigh
 * together. A block of which no logit reaches `floor` weighs nothing. Weights are whole numbers below 2^36, so that every
 * sum of at most 2^18 of them is exact.
 */
export function weigh(
  values: usize,
  row: usize,
  size: usize,
  part: i32,
  from: usize,
  to: usize,
  max: f32,
  scale: f32,
  floor: f32,
): f64 {
  const weights = weightsAt(row, size);
  const blockMax = blockMaxAt(row, size);
  const blockWeights = blockWeightsAt(row, size);
  let total: f64 = 0;
  for (let block = from; block < to; block++) {
    const most = load<f32>(blockMax + (block << 2));
    if (most < floor || !((max - most) * scale < WEIGHTLESS)) {
      store<f64>(blockWeights + (block << 3), 0);
      continue;
    }
    const own = weights + block * (BLOCK << 2);
    massesOfBlock(values + block * (BLOCK << 2), own, max, scale);
    let even = f64x2.splat(0);
    let odd = f64x2.splat(0);
    for (let at = own; at < own + (BLOCK << 2); at += 32) {
      const a = f32x4.nearest(v128.load(at));
      const b = f32x4.nearest(v128.load(at, 16));
      v128.store(at, a);
      v128.store(at, b, 16);
      even = f64x2.add(even, promoteSum(a));
      odd = f64x2.add(odd, promoteSum(b));
    }
    const sum = sumPair(f64x2.add(even, odd));
    store<f64>(blockWeights + (block << 3), sum);
    total += sum;
  }
  return total;
}

/**
 * Writes for each block the weights of its tokens together before they are rounded: lane 2 added to 0, 3 to 1 of each four,
 * these in the order of ids, and the two. Overwrites the weights.
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
  const weights = weightsAt(row, size);
  const sums = blockSumsAt(row, size);
  for (let block = from; block < to; block++) {
    const own = weights + block * (BLOCK << 2);
    massesOfBlock(values + block * (BLOCK << 2), own, max, scale);
    let sum = f64x2.splat(0);
    for (let at = own; at < own + (BLOCK << 2); at += 16) sum = f64x2.add(sum, promoteSum(v128.load(at)));
    store<f64>(sums + (block << 3), sumPair(sum));
  }
}

/**
 * Writes for each block the sum of weight × halvings: in f32, in eight lanes, each in the order of ids; then in doubles,
 * lane 2 to 0, 3 to 1, 6 to 4, 7 to 5, these in pairs, and the two.
 */
export function blockHalvings(
  values: usize,
  row: usize,
  size: usize,
  part: i32,
  from: usize,
  to: usize,
  max: f32,
  scale: f32,
): void {
  const weights = weightsAt(row, size);
  const blockWeights = blockWeightsAt(row, size);
  const sums = blockSumsAt(row, size);
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  // 0 times infinity would be no number.
  const most = v128.load(EXP2_MOST);
  for (let block = from; block < to; block++) {
    let even = f32x4.splat(0);
    let odd = even;
    if (load<f64>(blockWeights + (block << 3)) > 0) {
      for (let at = block * (BLOCK << 2); at < (block + 1) * (BLOCK << 2); at += 32) {
        const a = f32x4.pmin(halvings(v128.load(values + at), top, factor), most);
        const b = f32x4.pmin(halvings(v128.load(values + at, 16), top, factor), most);
        even = f32x4.add(even, f32x4.mul(v128.load(weights + at), a));
        odd = f32x4.add(odd, f32x4.mul(v128.load(weights + at, 16), b));
      }
    }
    store<f64>(sums + (block << 3), sumPair(f64x2.add(promoteSum(even), promoteSum(odd))));
  }
}

/** The sums that were written for the blocks, added in their order. */
export function sumOfBlocks(row: usize, size: usize): f64 {
  const sums = blockSumsAt(row, size);
  let sum: f64 = 0;
  for (let block: usize = 0; block < size / BLOCK; block++) sum += load<f64>(sums + (block << 3));
  return sum;
}
