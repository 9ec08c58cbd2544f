import { ONE } from './constants';
import { exponentiate } from './exponentiate';
import { exp, maxLanes, sumLanes } from './vector';

/** Below every score, and finite, so that differences stay numbers. */
const NOTHING: f32 = -3.4e38;

/** Begins the running softmax of a head. stats: f32 greatest score, f32 sum of weights. */
export function beginSoftmax(stats: usize): void {
  store<f32>(stats, NOTHING);
  store<f32>(stats, 0, 4);
}

/** The greatest of the 32 floats at `at`. */
function greatest(at: usize): f32 {
  const a = f32x4.pmax(v128.load(at), v128.load(at, 16));
  const b = f32x4.pmax(v128.load(at, 32), v128.load(at, 48));
  const c = f32x4.pmax(v128.load(at, 64), v128.load(at, 80));
  const d = f32x4.pmax(v128.load(at, 96), v128.load(at, 112));
  return maxLanes(f32x4.pmax(f32x4.pmax(a, b), f32x4.pmax(c, d)));
}

/** The sum of the 32 floats at `at`. */
function total(at: usize): f32 {
  const a = f32x4.add(v128.load(at), v128.load(at, 16));
  const b = f32x4.add(v128.load(at, 32), v128.load(at, 48));
  const c = f32x4.add(v128.load(at, 64), v128.load(at, 80));
  const d = f32x4.add(v128.load(at, 96), v128.load(at, 112));
  return sumLanes(f32x4.add(f32x4.add(a, b), f32x4.add(c, d)));
}

/** Writes `value` over the places outside from…to. */
function fillOutside(scores: usize, from: i32, to: i32, value: f32): void {
  for (let place = 0; place < from; place++) store<f32>(scores + ((<usize>place) << 2), value);
  for (let place = to + 1; place < 32; place++) store<f32>(scores + ((<usize>place) << 2), value);
}

/**
 * One block of the online softmax (Milakov and Gimelshein, arXiv 1805.02867): turns the 32 scores at `scores` into
 * weights relative to the greatest score so far, 0 outside the places from…to, and returns the factor that what was
 * summed before must take.
 */
export function softmaxBlock(scores: usize, from: i32, to: i32, stats: usize): f32 {
  const before = load<f32>(stats);
  fillOutside(scores, from, to, NOTHING);
  const now = max(before, greatest(scores));
  exponentiate(scores, 32, now);
  fillOutside(scores, from, to, 0);
  let factor: f32 = 1;
  if (now > before) factor = before == NOTHING ? 0 : f32x4.extract_lane(exp(f32x4.splat(before - now)), 0);
  store<f32>(stats, now);
  store<f32>(stats, load<f32>(stats, 4) * factor + total(scores), 4);
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
