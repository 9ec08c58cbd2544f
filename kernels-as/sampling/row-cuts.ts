import { ZERO } from '../constants';
import { countsAt, massesAt, notesAt, numBuckets, stepsAHalving, usedAt } from './row-layout';
import { massOf, promoteHigh, sumPair } from './row-weights';
import { sumIntegers } from '../vector';

// What buckets weigh, and where cuts through them lie.

/** Buckets that are added up together until a target is near. */
const STRIDE: i32 = 32;

/**
 * Adds the counts of all parts to those of the first, and writes what the tokens of each bucket weigh: as much as the
 * heaviest that could be in it. `tokens`: how many weigh something. Returns the end of the buckets that are not empty.
 */
export function joinBuckets(row: usize, size: usize, parts: i32, tokens: i32): i32 {
  const masses = massesAt(row, size);
  const first = countsAt(row, size, 0);
  const away = countsAt(row, size, 1) - first;
  const step: f32 = 1 / <f32>stepsAHalving(size);
  const zero = v128.load(ZERO);
  const four = f32x4.splat(4 * step);
  // How far the nearer edges of four buckets are below the largest logit, in halvings; every number is exact.
  let edges = f32x4.mul(f32x4(-0.5, 0.5, 1.5, 2.5), f32x4.splat(step));
  let left = tokens;
  let end = 0;
  for (; left > 0 && end < numBuckets(size); end += STRIDE) {
    let sum = i32x4.splat(0);
    for (let bucket = end; bucket < end + STRIDE; bucket += 4) {
      const at = first + (bucket << 2);
      let count = v128.load(at);
      for (let part: usize = 1; part < <usize>parts; part++) count = i32x4.add(count, v128.load(at + part * away));
      v128.store(at, count);
      sum = i32x4.add(sum, count);
      const weight = massOf(f32x4.pmax(edges, zero));
      edges = f32x4.add(edges, four);
      const mass = masses + (bucket << 3);
      v128.store(mass, f64x2.mul(f64x2.promote_low_f32x4(weight), f64x2.convert_low_i32x4_u(count)));
      const high = i32x4.shuffle(count, count, 2, 3, 0, 1);
      v128.store(mass, f64x2.mul(promoteHigh(weight), f64x2.convert_low_i32x4_u(high)), 16);
    }
    left -= sumIntegers(sum);
  }
  for (let part = 0; part < parts; part++) store<i32>(usedAt(row, size, part), end);
  return end;
}

/** What the buckets [from, to) weigh together: whole numbers, whose sum is exact in any order. */
export function massBetween(row: usize, size: usize, from: i32, to: i32): f64 {
  const masses = massesAt(row, size);
  let even = f64x2.splat(0);
  let odd = even;
  let at = masses + (from << 3);
  const end = masses + (to << 3);
  for (; from < to && at + 24 < end; at += 32) {
    even = f64x2.add(even, v128.load(at));
    odd = f64x2.add(odd, v128.load(at, 16));
  }
  let sum = sumPair(f64x2.add(even, odd));
  for (; from < to && at < end; at += 8) sum += load<f64>(at);
  return sum;
}

/** The sum of mass × bucket over the buckets [from, to), in their order. */
export function momentBetween(row: usize, size: usize, from: i32, to: i32): f64 {
  const masses = massesAt(row, size);
  let sum: f64 = 0;
  for (let bucket = from; bucket < to; bucket++) sum += load<f64>(masses + (bucket << 3)) * <f64>bucket;
  return sum;
}

/**
 * The bucket with which the buckets [low, high) nearest to `middle` reach `target`, which is not more than all weigh
 * together; of equally near ones the heavier tokens' comes first. `before` then tells what those before it weigh.
 */
export function cutAround(row: usize, size: usize, middle: i32, low: i32, high: i32, target: f64): i32 {
  const masses = massesAt(row, size);
  const before = notesAt(row, size);
  let mass = load<f64>(masses + (middle << 3));
  store<f64>(before, 0);
  if (mass >= target) return middle;
  // Strides to both sides while the target lies beyond, then steps through the last.
  let reach = 0;
  while (middle - reach > low || middle + reach + 1 < high) {
    const below = massBetween(row, size, max(low, middle - reach - STRIDE), max(low, middle - reach));
    const above = massBetween(row, size, min(high, middle + reach + 1), min(high, middle + reach + 1 + STRIDE));
    if (mass + below + above >= target) break;
    mass += below + above;
    reach += STRIDE;
  }
  for (reach++; middle - reach >= low || middle + reach < high; reach++) {
    for (let bucket = middle - reach; bucket <= middle + reach; bucket += 2 * reach) {
      if (bucket < low || bucket >= high) continue;
      store<f64>(before, mass);
      mass += load<f64>(masses + (bucket << 3));
      if (mass >= target) return bucket;
    }
  }
  return -1;
}

/** The bucket of the `target`-th likeliest token, which must weigh something. `before` then tells how many come before it. */
export function cutCounts(row: usize, size: usize, target: i32): i32 {
  const counts = countsAt(row, size, 0);
  let bucket = 0;
  let sum = 0;
  for (; sum + load<i32>(counts + (bucket << 2)) < target; bucket++) sum += load<i32>(counts + (bucket << 2));
  store<f64>(notesAt(row, size), <f64>sum);
  return bucket;
}

/** What the last cut left before its bucket. */
export function before(row: usize, size: usize): f64 {
  return load<f64>(notesAt(row, size));
}
