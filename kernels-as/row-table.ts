import { WHOLE_BITS } from './constants';
import {
  BLOCK,
  blockWeightsAt,
  bucketsAHalving,
  END,
  FIRST,
  idsAt,
  notesAt,
  numBuckets,
  tableAt,
  weightsAt,
} from './row-layout';
import { halvings, promoteHigh, sumPair } from './row-weights';

// The table of buckets: what tokens count together, by how often their weight is halved.

/** The bucket of so many halvings: the nearest, for adding 2^23 rounds to a whole number and leaves it in the low bits. */
export function bucketOf(size: usize, halvings: f32): i32 {
  const place = min<f32>(halvings * <f32>bucketsAHalving(size), <f32>(numBuckets(size) - 1));
  return reinterpret<i32>(place + 8388608) & 0xffff;
}

/** Adds to what a bucket counts. */
export function addTo(bucket: usize, mass: f64): void {
  store<f64>(bucket, load<f64>(bucket) + mass);
}

/** Writes the buckets of one block's tokens, each in the lower half of a word. */
function bucketsOfBlock(size: usize, values: usize, target: usize, max: f32, scale: f32): void {
  const top = f32x4.splat(max);
  // A power of two: as exact as `bucketOf`.
  const factor = f32x4.splat(scale * <f32>bucketsAHalving(size));
  const last = f32x4.splat(<f32>(numBuckets(size) - 1));
  const whole = v128.load(WHOLE_BITS);
  for (let at: usize = 0; at < BLOCK << 2; at += 32) {
    const a = v128.load(values + at);
    const b = v128.load(values + at, 16);
    const bucketA = f32x4.add(f32x4.pmin(halvings(a, top, factor), last), whole);
    const bucketB = f32x4.add(f32x4.pmin(halvings(b, top, factor), last), whole);
    v128.store(target + at, bucketA);
    v128.store(target + at, bucketB, 16);
  }
}

/** Makes the table of what is left, by halvings: each token counts as its weight, but at most as `cap`. */
export function countByHalvings(
  values: usize,
  row: usize,
  size: usize,
  part: i32,
  from: usize,
  to: usize,
  max: f32,
  scale: f32,
  cap: f32,
): void {
  const weights = weightsAt(row, size);
  const blockWeights = blockWeightsAt(row, size);
  const table = tableAt(row, size, part);
  const buckets = idsAt(row, size) + from * (BLOCK << 2);
  const most = f32x4.splat(cap);
  if (part == 0) setRange(row, size, 0, numBuckets(size));
  memory.fill(table, 0, numBuckets(size) << 3);
  for (let block = from; block < to; block++) {
    if (load<f64>(blockWeights + (block << 3)) == 0) continue;
    bucketsOfBlock(size, values + block * (BLOCK << 2), buckets, max, scale);
    const own = weights + block * (BLOCK << 2);
    for (let at: usize = 0; at < BLOCK << 2; at += 16) {
      const mass = f32x4.pmin(v128.load(own + at), most);
      const low = f64x2.promote_low_f32x4(mass);
      const high = promoteHigh(mass);
      const bucket = buckets + at;
      addTo(table + ((<usize>load<u16>(bucket)) << 3), f64x2.extract_lane(low, 0));
      addTo(table + ((<usize>load<u16>(bucket, 4)) << 3), f64x2.extract_lane(low, 1));
      addTo(table + ((<usize>load<u16>(bucket, 8)) << 3), f64x2.extract_lane(high, 0));
      addTo(table + ((<usize>load<u16>(bucket, 12)) << 3), f64x2.extract_lane(high, 1));
    }
  }
}

/** Notes which buckets of the first table are of what is left. */
export function setRange(row: usize, size: usize, first: i32, end: i32): void {
  const notes = notesAt(row, size);
  store<i32>(notes, first, FIRST);
  store<i32>(notes, end, END);
}

/** Adds the buckets [from, to) of all parts to those of the first table; returns what they count together. */
export function joinRange(row: usize, size: usize, from: i32, to: i32, parts: i32): f64 {
  const first = tableAt(row, size, 0);
  let sum = f64x2.splat(0);
  let at = first + (from << 3);
  const end = first + (to << 3);
  for (; at + 8 < end && from < to; at += 16) {
    let mass = v128.load(at);
    for (let part = 1; part < parts; part++) mass = f64x2.add(mass, v128.load(at + tableAt(row, size, part) - first));
    if (parts > 1) v128.store(at, mass);
    sum = f64x2.add(sum, mass);
  }
  if (at >= end || from >= to) return sumPair(sum);
  let last = load<f64>(at);
  for (let part = 1; part < parts; part++) last += load<f64>(at + tableAt(row, size, part) - first);
  store<f64>(at, last);
  return sumPair(sum) + last;
}
