import { BUCKET_LAST, BUCKETS_A_HALVING, MAGNITUDE, WHOLE_BITS } from './constants';
import {
  BLOCK,
  blockWeightsAt,
  BUCKETS,
  idsAt,
  listAt,
  listMassesAt,
  NUM_BUCKETS,
  VALUES,
  weightsAt,
} from './row-layout';
import { halvings, promoteHigh, promoteSum, sumPair } from './row-weights';

// The tokens whose halvings are nearest to an origin. Each counts as its weight, but at most as `cap`: with a cap of 1,
// tokens are counted, those that weigh nothing excepted. In three turns: `cutBucket` finds how far they reach, but for a
// 64th of a halving; `keepBuckets` drops what is further and lists what is in doubt; `dropListed` decides on that.

/** The distances of four logits from the origin, in halvings. magnitude: all bits but the sign. */
function distances(logits: v128, max: v128, scale: v128, origin: v128, magnitude: v128): v128 {
  return v128.and(f32x4.sub(halvings(logits, max, scale), origin), magnitude);
}

/** The same of one. */
function distanceOf(id: usize, max: f32, scale: f32, origin: f32): f32 {
  return abs(<f32>(<f32>(max - load<f32>(VALUES + (id << 2))) * scale) - origin);
}

/** Where the buckets of four distances lie in a table, in bytes: numbers of 2^23 and more have no fraction. */
function bucketsOf(distance: v128): v128 {
  const place = f32x4.pmin(f32x4.mul(distance, v128.load(BUCKETS_A_HALVING)), v128.load(BUCKET_LAST));
  return i32x4.shr_u(i32x4.shl(f32x4.add(f32x4.floor(place), v128.load(WHOLE_BITS)), 9), 6);
}

function addTo(bucket: usize, mass: f64): void {
  store<f64>(bucket, load<f64>(bucket) + mass);
}

/**
 * The first bucket, from the nearest on, with which tokens reach `target`; `reached` tells then what the nearer ones count.
 * Leaves out tokens that weigh less than `least` (at least 1), which the caller knows to lie further.
 */
export function cutBucket(size: usize, max: f32, scale: f32, origin: f32, cap: f32, least: f32, target: f64): i32 {
  const weights = weightsAt(size);
  const blockWeights = blockWeightsAt(size);
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  const middle = f32x4.splat(origin);
  const magnitude = v128.load(MAGNITUDE);
  const most = f32x4.splat(cap);
  const lightest = f32x4.splat(least);
  const odd = BUCKETS + (NUM_BUCKETS << 3);
  memory.fill(BUCKETS, 0, NUM_BUCKETS << 4);
  for (let block: usize = 0; block < size / BLOCK; block++) {
    if (load<f64>(blockWeights + (block << 3)) < least) continue;
    for (let at = block * (BLOCK << 2); at < (block + 1) * (BLOCK << 2); at += 16) {
      const weight = v128.load(weights + at);
      const counts = f32x4.ge(weight, lightest);
      const mass = v128.and(f32x4.pmin(weight, most), counts);
      const low = f64x2.promote_low_f32x4(mass);
      const high = promoteHigh(mass);
      const bucket = bucketsOf(distances(v128.load(VALUES + at), top, factor, middle, magnitude));
      addTo(BUCKETS + i32x4.extract_lane(bucket, 0), f64x2.extract_lane(low, 0));
      addTo(odd + i32x4.extract_lane(bucket, 1), f64x2.extract_lane(low, 1));
      addTo(BUCKETS + i32x4.extract_lane(bucket, 2), f64x2.extract_lane(high, 0));
      addTo(odd + i32x4.extract_lane(bucket, 3), f64x2.extract_lane(high, 1));
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

/**
 * Drops the tokens beyond `bucket`, and those that weigh less than `least`, which lie there. Lists those in it: ids in
 * their order, distances below 0, and what each counts; returns how many there are.
 */
export function keepBuckets(size: usize, max: f32, scale: f32, origin: f32, cap: f32, least: f32, bucket: i32): i32 {
  const weights = weightsAt(size);
  const blockWeights = blockWeightsAt(size);
  const ids = idsAt(size);
  const list = listAt(size);
  const masses = listMassesAt(size);
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  const middle = f32x4.splat(origin);
  const magnitude = v128.load(MAGNITUDE);
  const lightest = f32x4.splat(least);
  // As exact as the bucket: both are multiplied with or divided by a power of 2.
  const from = f32x4.splat(<f32>bucket / 64);
  const below = f32x4.splat(<f32>(bucket + 1) / 64);
  let end: usize = 0;
  for (let block: usize = 0; block < size / BLOCK; block++) {
    const blockWeight = blockWeights + (block << 3);
    if (load<f64>(blockWeight) < least) {
      store<f64>(blockWeight, 0);
      continue;
    }
    let sum = f64x2.splat(0);
    for (let at = block * (BLOCK << 2); at < (block + 1) * (BLOCK << 2); at += 32) {
      const a = v128.load(weights + at);
      const b = v128.load(weights + at, 16);
      const distanceA = distances(v128.load(VALUES + at), top, factor, middle, magnitude);
      const distanceB = distances(v128.load(VALUES + at, 16), top, factor, middle, magnitude);
      const isKeptA = v128.and(f32x4.lt(distanceA, below), f32x4.ge(a, lightest));
      const isKeptB = v128.and(f32x4.lt(distanceB, below), f32x4.ge(b, lightest));
      const keptA = v128.and(a, isKeptA);
      const keptB = v128.and(b, isKeptB);
      v128.store(weights + at, keptA);
      v128.store(weights + at, keptB, 16);
      sum = f64x2.add(sum, f64x2.add(promoteSum(keptA), promoteSum(keptB)));
      const doubtA = v128.and(isKeptA, f32x4.ge(distanceA, from));
      const doubtB = v128.and(isKeptB, f32x4.ge(distanceB, from));
      if (!v128.any_true(v128.or(doubtA, doubtB))) continue;
      let lanes = i32x4.bitmask(doubtA) | (i32x4.bitmask(doubtB) << 4);
      for (; lanes != 0; lanes &= lanes - 1, end += 4) {
        const id = (at >> 2) + ctz(lanes);
        store<i32>(ids + end, <i32>id);
        store<f32>(list + end, -distanceOf(id, max, scale, origin));
        store<f32>(masses + end, min(load<f32>(weights + (id << 2)), cap));
      }
    }
    store<f64>(blockWeight, sumPair(sum));
  }
  return <i32>(end >> 2);
}

/**
 * Of the `count` listed tokens, drops those further than `cut`, and of those as far, in the order of their ids, what comes
 * after they count `room` together. Returns what all that are left weigh.
 */
export function dropListed(
  size: usize,
  max: f32,
  scale: f32,
  origin: f32,
  cap: f32,
  count: i32,
  cut: f32,
  room: f64,
): f64 {
  const weights = weightsAt(size);
  const blockWeights = blockWeightsAt(size);
  const ids = idsAt(size);
  let left = room;
  for (let i: usize = 0; i < <usize>count; i++) {
    const id = <usize>load<i32>(ids + (i << 2));
    const distance = distanceOf(id, max, scale, origin);
    if (distance < cut) continue;
    const own = weights + (id << 2);
    const weight = load<f32>(own);
    if (distance == cut && left > 0) {
      left -= <f64>min(weight, cap);
      continue;
    }
    store<f32>(own, 0);
    const block = blockWeights + ((id / BLOCK) << 3);
    store<f64>(block, load<f64>(block) - <f64>weight);
  }
  let total = f64x2.splat(0);
  let block: usize = 0;
  for (; block + 1 < size / BLOCK; block += 2) total = f64x2.add(total, v128.load(blockWeights + (block << 3)));
  const rest = block < size / BLOCK ? load<f64>(blockWeights + (block << 3)) : 0;
  return sumPair(total) + rest;
}
