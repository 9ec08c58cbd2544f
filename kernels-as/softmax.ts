import { ONE, PLACES } from './constants';
import { exp, maxLanes, sumLanes } from './vector';

/** Below every score, and finite, so that differences stay numbers. */
const NOTHING: f32 = -3.4e38;

/** Begins the running softmax of a head. stats: f32 greatest score, f32 sum of weights. */
export function beginSoftmax(stats: usize): void {
  store<f32>(stats, NOTHING);
  store<f32>(stats, 0, 4);
}

/** Which of four places, from `first` on, lie within from…to. */
function within(first: usize, from: v128, to: v128): v128 {
  const places = v128.load(PLACES + (first << 2));
  return v128.and(i32x4.ge_s(places, from), i32x4.le_s(places, to));
}

/**
 * One block of the online softmax (Milakov and Gimelshein, arXiv 1805.02867): turns the 32 scores at `scores` into
 * weights relative to the greatest score so far, 0 outside the places from…to, and returns the factor that what was
 * summed before must take.
 */
export function softmaxBlock(scores: usize, from: i32, to: i32, stats: usize): f32 {
  const low = i32x4.splat(from);
  const high = i32x4.splat(to);
  let greatest = f32x4.splat(load<f32>(stats));
  for (let place: usize = 0; place < 32; place += 4) {
    const seen = v128.and(v128.load(scores + (place << 2)), within(place, low, high));
    const unseen = v128.andnot(f32x4.splat(NOTHING), within(place, low, high));
    greatest = f32x4.pmax(greatest, v128.or(seen, unseen));
  }
  const before = load<f32>(stats);
  const now = maxLanes(greatest);
  const origin = f32x4.splat(now);
  let sum = f32x4.splat(0);
  for (let place: usize = 0; place < 32; place += 4) {
    const at = scores + (place << 2);
    const weight = v128.and(exp(f32x4.sub(v128.load(at), origin)), within(place, low, high));
    v128.store(at, weight);
    sum = f32x4.add(sum, weight);
  }
  let factor: f32 = 1;
  if (now > before) factor = before == NOTHING ? 0 : f32x4.extract_lane(exp(f32x4.splat(before - now)), 0);
  store<f32>(stats, now);
  store<f32>(stats, load<f32>(stats, 4) * factor + sumLanes(sum), 4);
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
