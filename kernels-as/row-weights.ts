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
import { BLOCK, blockMaxAt, blockWeightsAt, VALUES, weightsAt } from './row-layout';

/** A token further from the largest logit, in halvings of its weight, weighs nothing. */
const WEIGHTLESS: f32 = 37;

/** How often the weights of four logits are halved. max, scale: splats; scale: halvings a logit. */
export function halvings(logits: v128, max: v128, scale: v128): v128 {
  return f32x4.mul(f32x4.sub(max, logits), scale);
}

/**
 * 2^(35 − halvings) in each lane, 0 from 162 halvings on. Range reduction by adding and taking away what leaves a whole
 * number in the low bits; polynomial: Cephes, single/exp2f.c, with its terms in pairs (Estrin), so that they do not all
 * wait for each other. No order of operations is left to the compiler.
 */
function mass(halvings: v128): v128 {
  const x = f32x4.pmin(halvings, v128.load(EXP2_MOST));
  const shifted = f32x4.add(x, v128.load(EXP2_ROUNDING));
  const r = f32x4.sub(f32x4.sub(shifted, v128.load(EXP2_ROUNDING)), x);
  const square = f32x4.mul(r, r);
  const high = f32x4.add(f32x4.mul(v128.load(EXP2_P0), r), v128.load(EXP2_P1));
  const middle = f32x4.add(f32x4.mul(v128.load(EXP2_P2), r), v128.load(EXP2_P3));
  const low = f32x4.add(f32x4.mul(v128.load(EXP2_P4), r), v128.load(EXP2_P5));
  const upper = f32x4.add(f32x4.mul(high, square), middle);
  const p = f32x4.add(f32x4.mul(f32x4.add(f32x4.mul(upper, square), low), r), v128.load(ONE));
  return f32x4.mul(p, i32x4.shl(i32x4.sub(v128.load(WEIGHT_EXPONENT), shifted), 23));
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
 * Writes the weight of every token, round(2^35 × 2^−halvings), 0 below `floor`, and the sums of the blocks; returns what
 * all weigh together. Weights are whole numbers below 2^36, so that every sum of at most 2^18 of them is exact.
 */
export function weigh(size: usize, max: f32, scale: f32, floor: f32): f64 {
  const weights = weightsAt(size);
  const blockMax = blockMaxAt(size);
  const blockWeights = blockWeightsAt(size);
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  const least = f32x4.splat(floor);
  let total: f64 = 0;
  for (let block: usize = 0; block < size / BLOCK; block++) {
    const most = load<f32>(blockMax + (block << 2));
    if (most < floor || !((max - most) * scale < WEIGHTLESS)) {
      store<f64>(blockWeights + (block << 3), 0);
      continue;
    }
    let sum = f64x2.splat(0);
    for (let at = block * (BLOCK << 2); at < (block + 1) * (BLOCK << 2); at += 32) {
      const a = v128.load(VALUES + at);
      const b = v128.load(VALUES + at, 16);
      const weightA = v128.and(f32x4.nearest(mass(halvings(a, top, factor))), f32x4.ge(a, least));
      const weightB = v128.and(f32x4.nearest(mass(halvings(b, top, factor))), f32x4.ge(b, least));
      v128.store(weights + at, weightA);
      v128.store(weights + at, weightB, 16);
      sum = f64x2.add(sum, f64x2.add(promoteSum(weightA), promoteSum(weightB)));
    }
    store<f64>(blockWeights + (block << 3), sumPair(sum));
    total += sumPair(sum);
  }
  return total;
}

/** The weights of all tokens together before they are rounded, each pair of lanes added in the order of ids. */
export function totalMass(size: usize, max: f32, scale: f32): f64 {
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  let sum = f64x2.splat(0);
  for (let at = VALUES; at < VALUES + (size << 2); at += 16) {
    sum = f64x2.add(sum, promoteSum(mass(halvings(v128.load(at), top, factor))));
  }
  return sumPair(sum);
}

/**
 * The sum of weight × halvings. Products are exact; they are added in four lanes, id by id, then lane 2 to 0, 3 to 1, and
 * these two. Blocks that weigh nothing would add 0.
 */
export function weightedHalvings(size: usize, max: f32, scale: f32): f64 {
  const weights = weightsAt(size);
  const blockWeights = blockWeightsAt(size);
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  // 0 times infinity would be no number.
  const most = v128.load(EXP2_MOST);
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  for (let block: usize = 0; block < size / BLOCK; block++) {
    if (load<f64>(blockWeights + (block << 3)) == 0) continue;
    for (let at = block * (BLOCK << 2); at < (block + 1) * (BLOCK << 2); at += 16) {
      const weight = v128.load(weights + at);
      const x = f32x4.pmin(halvings(v128.load(VALUES + at), top, factor), most);
      low = f64x2.add(low, f64x2.mul(f64x2.promote_low_f32x4(weight), f64x2.promote_low_f32x4(x)));
      high = f64x2.add(high, f64x2.mul(promoteHigh(weight), promoteHigh(x)));
    }
  }
  return sumPair(f64x2.add(low, high));
}
