import { MAGNITUDE, ZERO } from './constants';
import {
  BLOCK,
  blockMaxAt,
  blockWeightsAt,
  END,
  finalMassesAt,
  finalsAt,
  FIRST,
  idsAt,
  listAt,
  listMassesAt,
  LIST_BUCKETS,
  LIST_TABLE,
  notesAt,
  numBuckets,
  REACHED,
  SUMMED,
  tableAt,
  weightsAt,
} from './row-layout';
import { addTo, bucketOf, joinRange, setRange } from './row-table';
import { halvings, promoteSum, sumPair } from './row-weights';

// The tokens whose halvings are nearest to an origin, that reach a target when each counts as its weight, but at most as a
// cap. `findCut` finds in a table by halvings how far they reach, but for a few buckets; `keepNear` drops what is further
// and lists what is in doubt; `findFinals` narrows that down to what must be compared one by one; `dropListed` then drops
// the rest of the list, and leaves in the table what is left.

/** Buckets that are summed together to each side, until the target is near. */
const STRIDE: i32 = 32;

/** How often the weight of one logit is halved. */
function halvingsOf(logit: f32, max: f32, scale: f32): f32 {
  return <f32>(max - logit) * scale;
}

/**
 * How many buckets to each side of the origin's it takes to reach `target`: n. Then the cut is not nearer than n − 1
 * buckets' width and not further than n + 1. Adds the tables of `parts` as far as it looks: 1 once they were added.
 */
export function findCut(row: usize, size: usize, origin: f32, target: f64, parts: i32): i32 {
  const notes = notesAt(row, size);
  const first = load<i32>(notes, FIRST);
  const end = load<i32>(notes, END);
  const middle = bucketOf(size, origin);
  let mass = joinRange(row, size, max(first, middle), min(end, middle + 1), parts);
  let reach = 0;
  // Strides to both sides while the target lies beyond, then steps through the last.
  while (reach < numBuckets(size)) {
    const low = joinRange(row, size, max(first, middle - reach - STRIDE), min(end, middle - reach), parts);
    const high = joinRange(row, size, max(first, middle + reach + 1), min(end, middle + reach + 1 + STRIDE), parts);
    if (mass + low + high >= target) break;
    mass += low + high;
    reach += STRIDE;
  }
  const table = tableAt(row, size, 0);
  while (mass < target && reach < numBuckets(size)) {
    reach++;
    if (middle - reach >= first && middle - reach < end) mass += load<f64>(table + ((middle - reach) << 3));
    if (middle + reach >= first && middle + reach < end) mass += load<f64>(table + ((middle + reach) << 3));
  }
  store<f64>(notes, mass, SUMMED);
  return reach;
}

/**
 * Of one block, makes the weight 0 of what is further than `far`, and writes a mask of what lies from `near` on and weighs
 * something still.
 */
function keepNearInBlock(
  values: usize,
  weights: usize,
  doubts: usize,
  max: f32,
  scale: f32,
  origin: f32,
  near: f32,
  far: f32,
): void {
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  const middle = f32x4.splat(origin);
  const magnitude = v128.load(MAGNITUDE);
  const nearest = f32x4.splat(near);
  const furthest = f32x4.splat(far);
  const zero = v128.load(ZERO);
  for (let at: usize = 0; at < BLOCK << 2; at += 32) {
    const a = v128.load(values + at);
    const b = v128.load(values + at, 16);
    const distanceA = v128.and(f32x4.sub(halvings(a, top, factor), middle), magnitude);
    const distanceB = v128.and(f32x4.sub(halvings(b, top, factor), middle), magnitude);
    const weightA = v128.load(weights + at);
    const weightB = v128.load(weights + at, 16);
    const keptA = v128.and(weightA, f32x4.le(distanceA, furthest));
    const keptB = v128.and(weightB, f32x4.le(distanceB, furthest));
    v128.store(weights + at, keptA);
    v128.store(weights + at, keptB, 16);
    const doubtA = v128.and(f32x4.ge(distanceA, nearest), f32x4.gt(keptA, zero));
    const doubtB = v128.and(f32x4.ge(distanceB, nearest), f32x4.gt(keptB, zero));
    v128.store(doubts + at, doubtA);
    v128.store(doubts + at, doubtB, 16);
  }
}

/**
 * Drops the tokens further than `far`. Lists those from `near` on: ids in their order, halvings, weights; returns how many
 * there are.
 */
export function keepNear(
  values: usize,
  row: usize,
  size: usize,
  part: i32,
  from: usize,
  to: usize,
  max: f32,
  scale: f32,
  origin: f32,
  near: f32,
  far: f32,
): i32 {
  const weights = weightsAt(row, size);
  const blockMax = blockMaxAt(row, size);
  const blockWeights = blockWeightsAt(row, size);
  const ids = idsAt(row, size);
  const list = listAt(row, size);
  const masses = listMassesAt(row, size);
  // Masks of one block's tokens.
  const doubts = finalsAt(row, size) + from * (BLOCK << 2);
  const begin = from * (BLOCK << 2);
  let end = begin;
  for (let block = from; block < to; block++) {
    const blockWeight = blockWeights + (block << 3);
    // Of a block, its largest logit has the fewest halvings.
    if (load<f64>(blockWeight) == 0 || halvingsOf(load<f32>(blockMax + (block << 2)), max, scale) - origin > far) {
      store<f64>(blockWeight, 0);
      continue;
    }
    const start = block * (BLOCK << 2);
    keepNearInBlock(values + start, weights + start, doubts, max, scale, origin, near, far);
    let even = f64x2.splat(0);
    let odd = f64x2.splat(0);
    let anyDoubt = v128.load(doubts);
    for (let at: usize = 0; at < BLOCK << 2; at += 32) {
      even = f64x2.add(even, promoteSum(v128.load(weights + start + at)));
      odd = f64x2.add(odd, promoteSum(v128.load(weights + start + at, 16)));
      anyDoubt = v128.or(anyDoubt, v128.or(v128.load(doubts + at), v128.load(doubts + at, 16)));
    }
    store<f64>(blockWeight, sumPair(f64x2.add(even, odd)));
    if (!v128.any_true(anyDoubt)) continue;
    for (let at: usize = 0; at < BLOCK << 2; at += 16) {
      let lanes = i32x4.bitmask(v128.load(doubts + at));
      for (; lanes != 0; lanes &= lanes - 1, end += 4) {
        const own = start + at + ((<usize>ctz(lanes)) << 2);
        store<i32>(ids + end, <i32>(own >> 2));
        store<f32>(list + end, halvingsOf(load<f32>(values + own), max, scale));
        store<f32>(masses + end, load<f32>(weights + own));
      }
    }
  }
  return <i32>((end - begin) >> 2);
}

/**
 * After `findCut` gave `reach`: takes the `count` listed tokens out of the table, and finds between which of them the cut
 * lies: these are the finals, and notes tell what comes before them. Returns how many they are.
 */
export function findFinals(
  row: usize,
  size: usize,
  origin: f32,
  cap: f32,
  count: i32,
  reach: i32,
  near: f32,
  far: f32,
  target: f64,
): i32 {
  const notes = notesAt(row, size);
  const listed = notes + LIST_TABLE;
  const list = listAt(row, size);
  const weights = listMassesAt(row, size);
  const finals = finalsAt(row, size);
  const finalMasses = finalMassesAt(row, size);
  const width = <f32>LIST_BUCKETS / (far - near);
  memory.fill(listed, 0, LIST_BUCKETS << 3);
  let reached = takeListed(row, size, origin, cap, count, reach);
  for (let i: usize = 0; i < (<usize>count) << 2; i += 4) {
    const mass = min(load<f32>(weights + i), cap);
    addTo(listed + (listBucket(abs(load<f32>(list + i) - origin), near, width) << 3), mass);
  }
  let cut = 0;
  for (; cut < LIST_BUCKETS - 1; cut++) {
    const mass = load<f64>(listed + (cut << 3));
    if (reached + mass >= target) break;
    reached += mass;
  }
  store<f64>(notes, reached, REACHED);
  let end: usize = 0;
  for (let i: usize = 0; i < (<usize>count) << 2; i += 4) {
    const distance = abs(load<f32>(list + i) - origin);
    if (listBucket(distance, near, width) != cut) continue;
    store<f32>(finals + end, -distance);
    store<f32>(finalMasses + end, min(load<f32>(weights + i), cap));
    end += 4;
  }
  return <i32>(end >> 2);
}

/** Larger for larger distances, which is all that it must be. */
function listBucket(distance: f32, near: f32, width: f32): i32 {
  return <i32>max<f32>(0, min<f32>((distance - near) * width, <f32>(LIST_BUCKETS - 1)));
}

/**
 * Leaves in the table what is surely kept: the buckets less than `reach` − 1 from the origin's, without the listed tokens
 * that are in them, and zeros where others of these may come. Returns what is left in it.
 */
function takeListed(row: usize, size: usize, origin: f32, cap: f32, count: i32, reach: i32): f64 {
  const notes = notesAt(row, size);
  const table = tableAt(row, size, 0);
  const list = listAt(row, size);
  const weights = listMassesAt(row, size);
  const middle = bucketOf(size, origin);
  const first = middle - reach + 2;
  const end = max(first, middle + reach - 1);
  let sure = load<f64>(notes, SUMMED);
  // Listed tokens are at most four buckets from those that are sure; those of them that were summed are four.
  const lowest = max(first - 4, 0);
  const highest = min(end + 4, numBuckets(size));
  for (let bucket = lowest; bucket < highest; bucket++) {
    if (bucket >= first && bucket < end) continue;
    const isSummed = bucket >= middle - reach && bucket <= middle + reach;
    const own = table + (bucket << 3);
    if (isSummed && bucket >= load<i32>(notes, FIRST) && bucket < load<i32>(notes, END)) sure -= load<f64>(own);
    store<f64>(own, 0);
  }
  setRange(row, size, lowest, highest);
  for (let i: usize = 0; i < (<usize>count) << 2; i += 4) {
    const bucket = bucketOf(size, load<f32>(list + i));
    if (bucket < first || bucket >= end) continue;
    const mass = <f64>min(load<f32>(weights + i), cap);
    addTo(table + (bucket << 3), -mass);
    sure -= mass;
  }
  return sure;
}

/** What the tokens count that come before the finals. */
export function reached(row: usize, size: usize): f64 {
  return load<f64>(notesAt(row, size), REACHED);
}

/**
 * Of the `count` listed tokens, drops those further than `cut`, and of those as far, in the order of their ids, what comes
 * after they count `room` together; the others come back into the table. Returns what all that are left weigh.
 */
export function dropListed(row: usize, size: usize, origin: f32, cap: f32, count: i32, cut: f32, room: f64): f64 {
  const blockWeights = blockWeightsAt(row, size);
  const weights = weightsAt(row, size);
  const table = tableAt(row, size, 0);
  const ids = idsAt(row, size);
  const list = listAt(row, size);
  const listed = listMassesAt(row, size);
  let left = room;
  for (let i: usize = 0; i < (<usize>count) << 2; i += 4) {
    const id = <usize>load<i32>(ids + i);
    const weight = load<f32>(listed + i);
    const mass = <f64>min(weight, cap);
    const distance = abs(load<f32>(list + i) - origin);
    if (distance < cut || (distance == cut && left > 0)) {
      if (distance == cut) left -= mass;
      addTo(table + (bucketOf(size, load<f32>(list + i)) << 3), mass);
      continue;
    }
    store<f32>(weights + (id << 2), 0);
    addTo(blockWeights + ((id / BLOCK) << 3), -(<f64>weight));
  }
  return weightOfAll(row, size);
}

/** What the blocks weigh together. */
function weightOfAll(row: usize, size: usize): f64 {
  const blockWeights = blockWeightsAt(row, size);
  let total = f64x2.splat(0);
  let block: usize = 0;
  for (; block + 1 < size / BLOCK; block += 2) total = f64x2.add(total, v128.load(blockWeights + (block << 3)));
  const rest = block < size / BLOCK ? load<f64>(blockWeights + (block << 3)) : 0;
  return sumPair(total) + rest;
}
