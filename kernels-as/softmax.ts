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
} from './constants';
import { maxOfLanes, powerOfTwo, sumLanes } from './vector';

/** Below every score, and finite, so that differences stay numbers. */
const NOTHING: f32 = -3.4e38;

/** What scores are multiplied by, so that weights are powers of two: 1 / ln 2. */
export const TO_BASE_TWO: f32 = 1.44269504088896341;

/** Begins the running softmax of a head. stats: f32 greatest score, f32 sum of weights. */
export function beginSoftmax(stats: usize): void {
  store<f32>(stats, NOTHING);
  store<f32>(stats, 0, 4);
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

/**
 * One block of the online softmax (Milakov and Gimelshein, arXiv 1805.02867), in powers of two: turns the 32 scores at
 * `scores` into weights relative to the greatest score so far and returns the factor that what was summed before must
 * take. pair: room for two vectors, through which maxima and sums leave their loops as a pair.
 */
export function softmaxBlock(scores: usize, stats: usize, pair: usize): f32 {
  const before = v128.load32_splat(stats);
  let most0 = v128.load(scores);
  let most1 = v128.load(scores, 16);
  for (let at: usize = 32; at < 128; at += 32) {
    most0 = f32x4.pmax(most0, v128.load(scores + at));
    most1 = f32x4.pmax(most1, v128.load(scores + at, 16));
  }
  v128.store(pair, most0);
  v128.store(pair, most1, 16);
  const origin = f32x4.pmax(before, maxOfLanes(f32x4.pmax(v128.load(pair), v128.load(pair, 16))));
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
  let sum0 = f32x4.splat(0);
  let sum1 = sum0;
  for (let at = scores; at < scores + 128; at += 32) {
    const weight0 = powerOfTwo(f32x4.sub(v128.load(at), origin), rounding, p0, p1, p2, p3, p4, p5, one, least);
    const weight1 = powerOfTwo(
      f32x4.sub(v128.load(at, 16), origin),
      roundingb,
      p0b,
      p1b,
      p2b,
      p3b,
      p4b,
      p5b,
      oneb,
      leastb,
    );
    v128.store(at, weight0);
    v128.store(at, weight1, 16);
    sum0 = f32x4.add(sum0, weight0);
    sum1 = f32x4.add(sum1, weight1);
  }
  v128.store(pair, sum0);
  v128.store(pair, sum1, 16);
  const now = f32x4.extract_lane(origin, 0);
  let factor: f32 = 1;
  if (now > load<f32>(stats)) {
    factor = f32x4.extract_lane(powerOfTwo(f32x4.sub(before, origin), rounding, p0, p1, p2, p3, p4, p5, one, least), 0);
  }
  store<f32>(stats, now);
  store<f32>(stats, load<f32>(stats, 4) * factor + sumLanes(f32x4.add(v128.load(pair), v128.load(pair, 16))), 4);
  return factor;
}

/** out = sums / the sum of weights, over `headDim` floats. */
export function finishSoftmax(out: usize, sums: usize, headDim: i32, stats: usize): void {
  const factor = f32x4.div(v128.load(ONE), f32x4.splat(load<f32>(stats, 4)));
  for (let dim = 0; dim < headDim; dim += 4) {
    const at = (<usize>dim) << 2;
    v128.store(out + at, f32x4.mul(v128.load(sums + at), factor));
  }
}
