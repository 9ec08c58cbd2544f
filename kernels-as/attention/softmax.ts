import {
  EXP2_P0,
  EXP2_P1,
  EXP2_P2,
  EXP2_P3,
  EXP2_P4,
  EXP2_P5,
  EXP2_ROUNDING,
  ONE,
  PLACES,
  POWER_LEAST,
} from '../constants';
import { maxAcross, maxOfLanes, powerOfTwo, sumAcross } from '../vector';

// The running softmax of heads over the blocks of a context (Milakov and Gimelshein, arXiv 1805.02867), in powers of two.
// stats: four rows of f32 [heads], padded to fours, `stride` bytes apart: the greatest scores so far; sums of weights;
// what the last block gave: the factors of what was summed before it, and the factors of its own weights.

/** Below every score, and finite, so that differences stay numbers. */
const NOTHING: f32 = -3.4e38;

/** What scores are multiplied by, so that weights are powers of two: 1 / ln 2. */
export const TO_BASE_TWO: f32 = 1.44269504088896341;

/** Bytes that one head takes in all rows of stats. */
export const STATS_BYTES: usize = 16;

/** The factors of what was summed before the last block. */
export function factorsBefore(stats: usize, stride: usize): usize {
  return stats + (stride << 1);
}

/** The factors of the last block's own weights. */
export function factorsOfBlock(stats: usize, stride: usize): usize {
  return stats + (stride << 1) + stride;
}

/**
 * Begins the running softmax of all heads. sinks: f32 [group], a score without a value for each head of a group, which joins
 * the sum of weights alone; 0: none.
 */
export function beginSoftmax(stats: usize, stride: usize, sinks: usize, group: i32, heads: i32): void {
  for (let at: usize = 0; at < stride; at += 16) {
    v128.store(stats + at, f32x4.splat(NOTHING));
    v128.store(stats + stride + at, f32x4.splat(0));
  }
  if (!sinks) return;
  for (let head = 0; head < heads; head++) {
    const at = stats + ((<usize>head) << 2);
    store<f32>(at, load<f32>(sinks + ((<usize>(head % group)) << 2)) * TO_BASE_TWO);
    store<f32>(at + stride, 1);
  }
}

/** Those of the 32 scores at `scores` that lie outside the places from…to become less than any. */
export function hideScores(scores: usize, from: i32, to: i32): void {
  const first = i32x4.splat(from);
  const last = i32x4.splat(to);
  const nothing = f32x4.splat(NOTHING);
  for (let at: usize = 0; at < 128; at += 32) {
    const place0 = v128.load(PLACES + at);
    const place1 = v128.load(PLACES + at, 16);
    const isSeen0 = v128.and(i32x4.ge_s(place0, first), i32x4.le_s(place0, last));
    const isSeen1 = v128.and(i32x4.ge_s(place1, first), i32x4.le_s(place1, last));
    const kept0 = v128.bitselect(v128.load(scores + at), nothing, isSeen0);
    const kept1 = v128.bitselect(v128.load(scores + at, 16), nothing, isSeen1);
    v128.store(scores + at, kept0);
    v128.store(scores + at, kept1, 16);
  }
}

/** The greatest of 32 scores, in one of four lanes. */
function greatest(scores: usize): v128 {
  const a = f32x4.pmax(v128.load(scores), v128.load(scores, 16));
  const b = f32x4.pmax(v128.load(scores, 32), v128.load(scores, 48));
  const c = f32x4.pmax(v128.load(scores, 64), v128.load(scores, 80));
  const d = f32x4.pmax(v128.load(scores, 96), v128.load(scores, 112));
  return f32x4.pmax(f32x4.pmax(a, b), f32x4.pmax(c, d));
}

/** The greatest of the 32 scores of each of four heads, or of one alone in all lanes. */
function greatestOfFour(scores: usize, left: i32): v128 {
  const a = greatest(scores);
  if (left == 1) return maxOfLanes(a);
  const b = greatest(scores + 128);
  const c = greatest(scores + 256);
  const d = greatest(scores + 384);
  return maxAcross(a, b, c, d);
}

/** What eight lanes of each of four heads come to together: f32 [4][8] → f32 [4]. */
function sumOfFour(partial: usize): v128 {
  const a = f32x4.add(v128.load(partial), v128.load(partial, 16));
  const b = f32x4.add(v128.load(partial, 32), v128.load(partial, 48));
  const c = f32x4.add(v128.load(partial, 64), v128.load(partial, 80));
  const d = f32x4.add(v128.load(partial, 96), v128.load(partial, 112));
  return sumAcross(a, b, c, d);
}

/**
 * One block: turns the 32 scores of each head, f32 [heads][32], into weights of at most 1, relative to the greatest of
 * them, and says in the stats by what these and what was summed before are multiplied. What a head summed while all was
 * hidden from it weighs nothing later. Four heads at once: what is done across lanes is so done for all of them, and
 * their chains of arithmetic run beside one another. partial: room for f32 [4][8].
 */
export function softmaxBlock(scores: usize, stats: usize, stride: usize, partial: usize, heads: i32): void {
  // Side by side, because the revectorizer does not pair loads that have another one between them.
  const rounding = v128.load(EXP2_ROUNDING);
  const roundingb = NARROW ? rounding : v128.load(EXP2_ROUNDING, 16);
  const p0 = v128.load(EXP2_P0);
  const p0b = NARROW ? p0 : v128.load(EXP2_P0, 16);
  const p1 = v128.load(EXP2_P1);
  const p1b = NARROW ? p1 : v128.load(EXP2_P1, 16);
  const p2 = v128.load(EXP2_P2);
  const p2b = NARROW ? p2 : v128.load(EXP2_P2, 16);
  const p3 = v128.load(EXP2_P3);
  const p3b = NARROW ? p3 : v128.load(EXP2_P3, 16);
  const p4 = v128.load(EXP2_P4);
  const p4b = NARROW ? p4 : v128.load(EXP2_P4, 16);
  const p5 = v128.load(EXP2_P5);
  const p5b = NARROW ? p5 : v128.load(EXP2_P5, 16);
  const one = v128.load(ONE);
  const oneb = NARROW ? one : v128.load(ONE, 16);
  const least = v128.load(POWER_LEAST);
  const leastb = NARROW ? least : v128.load(POWER_LEAST, 16);
  for (let left = heads; left > 0; left -= 4) {
    const most = greatestOfFour(scores, left);
    // Where the factors will be, each head's greatest score waits until its weights are made.
    const own = factorsOfBlock(stats, stride);
    v128.store(own, most);
    const count = <usize>min(left, 4);
    for (let head: usize = 0; head < count; head++) {
      const origin = v128.load32_splat(own + (head << 2));
      let sum0 = f32x4.splat(0);
      let sum1 = sum0;
      for (const end = scores + 128; scores < end; scores += 32) {
        const x0 = f32x4.sub(v128.load(scores), origin);
        const x1 = f32x4.sub(v128.load(scores, 16), origin);
        const weight0 = powerOfTwo(x0, rounding, p0, p1, p2, p3, p4, p5, one, least);
        const weight1 = powerOfTwo(x1, roundingb, p0b, p1b, p2b, p3b, p4b, p5b, oneb, leastb);
        v128.store(scores, weight0);
        v128.store(scores, weight1, 16);
        sum0 = f32x4.add(sum0, weight0);
        sum1 = f32x4.add(sum1, weight1);
      }
      const to = partial + (head << 5);
      v128.store(to, sum0);
      v128.store(to, sum1, 16);
    }
    // Of the two factors that of the greater is 1, so that one power serves both.
    const before = v128.load(stats);
    const isGreater = f32x4.gt(most, before);
    const apart = f32x4.sub(f32x4.pmin(before, most), f32x4.pmax(before, most));
    const factor = powerOfTwo(apart, rounding, p0, p1, p2, p3, p4, p5, one, least);
    const ofBefore = v128.bitselect(factor, one, isGreater);
    const ofBlock = v128.bitselect(one, factor, isGreater);
    const kept = f32x4.mul(v128.load(stats + stride), ofBefore);
    v128.store(stats, f32x4.pmax(before, most));
    v128.store(stats + stride, f32x4.add(kept, f32x4.mul(sumOfFour(partial), ofBlock)));
    v128.store(factorsBefore(stats, stride), ofBefore);
    v128.store(own, ofBlock);
    stats += 16;
  }
}

/** out = sums / the sum of weights, over `headDim` floats; `sum` points to it. */
export function finishSoftmax(out: usize, sums: usize, headDim: i32, sum: usize): void {
  const factor = f32x4.div(v128.load(ONE), v128.load32_splat(sum));
  for (let dim = 0; dim < headDim; dim += 4) {
    const at = (<usize>dim) << 2;
    v128.store(out + at, f32x4.mul(v128.load(sums + at), factor));
  }
}
