import { BLOCK, blockWeightsAt, weightsAt } from './row-layout';
import { promoteSum, sumPair } from './row-weights';
import { maxLanes } from './vector';

/** The weight of the heaviest token that is left. */
export function heaviest(values: usize, row: usize, size: usize, part: i32, from: usize, to: usize): f32 {
  const weights = weightsAt(row, size);
  const blockWeights = blockWeightsAt(row, size);
  let most = f32x4.splat(0);
  for (let block = from; block < to; block++) {
    if (load<f64>(blockWeights + (block << 3)) == 0) continue;
    for (let at = weights + block * (BLOCK << 2); at < weights + (block + 1) * (BLOCK << 2); at += 32) {
      most = f32x4.pmax(most, f32x4.pmax(v128.load(at), v128.load(at, 16)));
    }
  }
  return maxLanes(most);
}

/** Drops the tokens that weigh less than `lightest`, and those that weigh `below` or more. Returns what is left weighs. */
export function keepWeights(
  values: usize,
  row: usize,
  size: usize,
  part: i32,
  from: usize,
  to: usize,
  lightest: f32,
  below: f32,
): f64 {
  const weights = weightsAt(row, size);
  const blockWeights = blockWeightsAt(row, size);
  const least = f32x4.splat(lightest);
  const limit = f32x4.splat(below);
  let total: f64 = 0;
  for (let block = from; block < to; block++) {
    if (load<f64>(blockWeights + (block << 3)) == 0) continue;
    let sum = f64x2.splat(0);
    for (let at = block * (BLOCK << 2); at < (block + 1) * (BLOCK << 2); at += 16) {
      const weight = v128.load(weights + at);
      const kept = v128.and(weight, v128.and(f32x4.ge(weight, least), f32x4.lt(weight, limit)));
      v128.store(weights + at, kept);
      sum = f64x2.add(sum, promoteSum(kept));
    }
    store<f64>(blockWeights + (block << 3), sumPair(sum));
    total += sumPair(sum);
  }
  return total;
}

/** The id of the lightest token that weighs at least `limit` (above 0), of equal ones the highest; −1 where none does. */
export function lightestFrom(
  values: usize,
  row: usize,
  size: usize,
  part: i32,
  from: usize,
  to: usize,
  limit: f32,
): i32 {
  const weights = weightsAt(row, size);
  const blockWeights = blockWeightsAt(row, size);
  const least = f32x4.splat(limit);
  let lightest: f32 = Infinity;
  let id = -1;
  for (let block = from; block < to; block++) {
    if (load<f64>(blockWeights + (block << 3)) < limit) continue;
    for (let at = block * (BLOCK << 2); at < (block + 1) * (BLOCK << 2); at += 16) {
      let lanes = i32x4.bitmask(f32x4.ge(v128.load(weights + at), least));
      for (; lanes != 0; lanes &= lanes - 1) {
        const own = at + ((<usize>ctz(lanes)) << 2);
        const weight = load<f32>(weights + own);
        if (weight > lightest) continue;
        lightest = weight;
        id = <i32>(own >> 2);
      }
    }
  }
  return id;
}
