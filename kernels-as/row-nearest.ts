import { BUCKET_LAST, BUCKETS_A_HALVING, EXP2_MOST, MAGNITUDE } from './constants';
import { BLOCK, blockWeightsAt, BUCKETS, listAt, listMassesAt, NUM_BUCKETS, VALUES, weightsAt } from './row-layout';
import { halvings, promoteSum, sumPair } from './row-weights';

// The tokens whose halvings are nearest to an origin. Each counts as its weight, but at most as `cap`: with a cap of 1,
// tokens are counted, those that weigh nothing excepted.

/** The distances of four logits from the origin, in halvings. */
function distances(logits: v128, max: v128, scale: v128, origin: v128): v128 {
  return v128.and(f32x4.sub(halvings(logits, max, scale), origin), v128.load(MAGNITUDE));
}

/** The buckets of four distances. */
function bucketsOf(distance: v128): v128 {
  const place = f32x4.mul(distance, v128.load(BUCKETS_A_HALVING));
  return i32x4.trunc_sat_f32x4_s(f32x4.pmin(place, v128.load(BUCKET_LAST)));
}

function addTo(table: usize, bucket: i32, mass: f64): void {
  const at = table + ((<usize>bucket) << 3);
  store<f64>(at, load<f64>(at) + mass);
}

/**
 * The first bucket, from the nearest on, with which tokens reach `target`; `reached` tells then what the nearer ones count.
 * Leaves out tokens that weigh less than `least` (at least 1), which the caller knows to lie further.
 */
export function cutBucket(
  size: usize,
  max: f32,
  scale: f32,
  origin: f32,
  cap: f32,
  least: f32,
  target: f64,
): i32 {
  const weights = weightsAt(size);
  const blockWeights = blockWeightsAt(size);
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  const middle = f32x4.splat(origin);
  const most = f32x4.splat(cap);
  const lightest = f32x4.splat(least);
  const odd = BUCKETS + (NUM_BUCKETS << 3);
  memory.fill(BUCKETS, 0, NUM_BUCKETS << 4);
  for (let block: usize = 0; block < size / BLOCK; block++) {
    if (load<f64>(blockWeights + (block << 3)) < least) continue;
    for (let at = block * (BLOCK << 2); at < (block + 1) * (BLOCK << 2); at += 16) {
      const weight = v128.load(weights + at);
      const counts = f32x4.ge(weight, lightest);
      if (!v128.any_true(counts)) continue;
      const mass = v128.and(f32x4.pmin(weight, most), counts);
      const bucket = bucketsOf(distances(v128.load(VALUES + at), top, factor, middle));
      addTo(BUCKETS, i32x4.extract_lane(bucket, 0), <f64>f32x4.extract_lane(mass, 0));
      addTo(odd, i32x4.extract_lane(bucket, 1), <f64>f32x4.extract_lane(mass, 1));
      addTo(BUCKETS, i32x4.extract_lane(bucket, 2), <f64>f32x4.extract_lane(mass, 2));
      addTo(odd, i32x4.extract_lane(bucket, 3), <f64>f32x4.extract_lane(mass, 3));
    }
  }
  let nearer: f64 = 0;
  let cut: usize = 0;
  for (; cut < NUM_BUCKETS - 1; cut++) {
    const bucket = BUCKETS + (cut << 3);
    const mass = load<f64>(bucket) + load<f64>(bucket, NUM_BUCKETS << 3);
    if (nearer + mass >= target) break;
    nearer += mass;
  }
  store<f64>(BUCKETS, nearer);
  return <i32>cut;
}

/** What the tokens nearer than the bucket that was cut count. */
export function reached(): f64 {
  return load<f64>(BUCKETS);
}

/** Lists the distances of the tokens of one bucket, below 0, and beside them what each counts; returns how many. */
export function listBucket(size: usize, max: f32, scale: f32, origin: f32, cap: f32, bucket: i32): i32 {
  const weights = weightsAt(size);
  const blockWeights = blockWeightsAt(size);
  const masses = listMassesAt(size);
  const list = listAt(size);
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  const middle = f32x4.splat(origin);
  const wanted = i32x4.splat(bucket);
  let end: usize = 0;
  for (let block: usize = 0; block < size / BLOCK; block++) {
    if (load<f64>(blockWeights + (block << 3)) == 0) continue;
    for (let at = block * (BLOCK << 2); at < (block + 1) * (BLOCK << 2); at += 16) {
      const distance = distances(v128.load(VALUES + at), top, factor, middle);
      const isWanted = i32x4.eq(bucketsOf(distance), wanted);
      let lanes = i32x4.bitmask(v128.and(isWanted, f32x4.gt(v128.load(weights + at), f32x4.splat(0))));
      for (; lanes != 0; lanes &= lanes - 1, end += 4) {
        const lane = (<usize>ctz(lanes)) << 2;
        const x = min(<f32>(max - load<f32>(VALUES + at + lane)) * scale, load<f32>(EXP2_MOST));
        store<f32>(list + end, -abs(x - origin));
        store<f32>(masses + end, min(load<f32>(weights + at + lane), cap));
      }
    }
  }
  return <i32>(end >> 2);
}

/**
 * Drops the tokens further than `cut`, and of those as far, in the order of their ids, what comes after they count `room`
 * together. Returns what is left weighs.
 */
export function keepNearest(size: usize, max: f32, scale: f32, origin: f32, cap: f32, cut: f32, room: f64): f64 {
  const weights = weightsAt(size);
  const blockWeights = blockWeightsAt(size);
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  const middle = f32x4.splat(origin);
  const edge = f32x4.splat(cut);
  let left = room;
  let total: f64 = 0;
  for (let block: usize = 0; block < size / BLOCK; block++) {
    if (load<f64>(blockWeights + (block << 3)) == 0) continue;
    let sum = f64x2.splat(0);
    for (let at = block * (BLOCK << 2); at < (block + 1) * (BLOCK << 2); at += 16) {
      const distance = distances(v128.load(VALUES + at), top, factor, middle);
      let weight = v128.and(v128.load(weights + at), f32x4.le(distance, edge));
      v128.store(weights + at, weight);
      let lanes = i32x4.bitmask(f32x4.eq(distance, edge));
      if (lanes != 0) {
        for (; lanes != 0; lanes &= lanes - 1) {
          const own = weights + at + ((<usize>ctz(lanes)) << 2);
          if (left > 0) left -= <f64>min(load<f32>(own), cap);
          else store<f32>(own, 0);
        }
        weight = v128.load(weights + at);
      }
      sum = f64x2.add(sum, promoteSum(weight));
    }
    store<f64>(blockWeights + (block << 3), sumPair(sum));
    total += sumPair(sum);
  }
  return total;
}
