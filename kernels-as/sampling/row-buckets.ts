import { PLACES, WHOLE_BITS, ZERO } from '../constants';
import { BLOCK, BLOCK_BYTES, blockMaxAt, countsAt, idsAt, listAt, numBuckets, usedAt } from './row-layout';
import { sumIntegers } from '../vector';

// Tokens in buckets, by how far they lie below the largest logit. A step is a part of a halving of weight, and the bucket of
// so many steps is the nearest whole number. `scale`: steps a logit.

/** The buckets of four logits, `last` at most, as the low bits of 2^23 + bucket. */
function bucketsOf(logits: v128, top: v128, factor: v128, last: v128, whole: v128): v128 {
  return f32x4.add(f32x4.pmin(f32x4.mul(f32x4.sub(top, logits), factor), last), whole);
}

/**
 * Writes the addresses of the counts of a block's tokens: in pairs of vectors, which V8 can join. Those that weigh nothing
 * are most of some rows: each lane has a bucket for them, as counts of the same one have to wait for one another.
 */
function placesOfBlock(values: usize, places: usize, counts: usize, buckets: i32, max: f32, scale: f32): void {
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  const lastA = f32x4.add(f32x4.splat(<f32>buckets), f32x4.convert_i32x4_s(v128.load(PLACES)));
  const lastB = f32x4.add(f32x4.splat(<f32>buckets), f32x4.convert_i32x4_s(v128.load(PLACES, 16)));
  const whole = v128.load(WHOLE_BITS);
  // Shifted to bytes, the bits of 2^23 leave 0x2c000000.
  const base = i32x4.splat(<i32>counts - 0x2c000000);
  for (let at: usize = 0; at < BLOCK_BYTES; at += 32) {
    const a = bucketsOf(v128.load(values + at), top, factor, lastA, whole);
    const b = bucketsOf(v128.load(values + at, 16), top, factor, lastB, whole);
    v128.store(places + at, i32x4.add(i32x4.shl(a, 2), base));
    v128.store(places + at, i32x4.add(i32x4.shl(b, 2), base), 16);
  }
}

/** One more where `place` says. */
function raise(place: usize): void {
  const count = load<u32>(place);
  store<i32>(count, load<i32>(count) + 1);
}

/**
 * Counts the tokens of each bucket; returns how many weigh something. Blocks without a logit of at least `floor` are not
 * looked at. The counts of last time are cleared as far as they were used: all of them, where a stopped thread group left them so.
 */
export function countBuckets(
  values: usize,
  row: usize,
  size: usize,
  part: i32,
  from: usize,
  to: usize,
  max: f32,
  scale: f32,
  floor: f32,
): i32 {
  const blockMax = blockMaxAt(row, size);
  const places = idsAt(row, size) + from * BLOCK_BYTES;
  const used = usedAt(row, size, part);
  const counts = countsAt(row, size, part);
  const buckets = numBuckets(size);
  const weightless = counts + (buckets << 2);
  memory.fill(counts, 0, load<i32>(used) << 2);
  v128.store(weightless, v128.load(ZERO));
  v128.store(weightless, v128.load(ZERO), 16);
  store<i32>(used, buckets);
  let tokens = 0;
  for (let block = from; block < to; block++) {
    const most = load<f32>(blockMax + (block << 2));
    if (most < floor || !((max - most) * scale < <f32>buckets)) continue;
    placesOfBlock(values + block * BLOCK_BYTES, places, counts, buckets, max, scale);
    for (let place = places; place < places + BLOCK_BYTES; place += 32) {
      raise(place);
      raise(place + 4);
      raise(place + 8);
      raise(place + 12);
      raise(place + 16);
      raise(place + 20);
      raise(place + 24);
      raise(place + 28);
    }
    tokens += <i32>BLOCK;
  }
  return tokens - sumIntegers(i32x4.add(v128.load(weightless), v128.load(weightless, 16)));
}

/** Lists the tokens of a bucket: their ids, in this order, and how many steps they lie below; returns how many there are. */
export function listBucket(
  values: usize,
  row: usize,
  size: usize,
  part: i32,
  from: usize,
  to: usize,
  max: f32,
  scale: f32,
  bucket: f32,
): i32 {
  const blockMax = blockMaxAt(row, size);
  const ids = idsAt(row, size);
  const list = listAt(row, size);
  const top = f32x4.splat(max);
  const factor = f32x4.splat(scale);
  const last = f32x4.splat(<f32>numBuckets(size));
  const whole = v128.load(WHOLE_BITS);
  const own = f32x4.add(f32x4.splat(bucket), whole);
  const begin = from * BLOCK_BYTES;
  let end = begin;
  for (let block = from; block < to; block++) {
    // The largest logit of a block is in the lowest of its buckets.
    if ((max - load<f32>(blockMax + (block << 2))) * scale > bucket + 1) continue;
    const start = block * BLOCK_BYTES;
    let any = v128.load(ZERO);
    for (let at = values + start; at < values + start + BLOCK_BYTES; at += 32) {
      const a = f32x4.eq(bucketsOf(v128.load(at), top, factor, last, whole), own);
      const b = f32x4.eq(bucketsOf(v128.load(at, 16), top, factor, last, whole), own);
      any = v128.or(any, v128.or(a, b));
    }
    if (!v128.any_true(any)) continue;
    for (let at = start; at < start + BLOCK_BYTES; at += 16) {
      let lanes = i32x4.bitmask(f32x4.eq(bucketsOf(v128.load(values + at), top, factor, last, whole), own));
      for (; lanes != 0; lanes &= lanes - 1, end += 4) {
        const token = at + ((<usize>ctz(lanes)) << 2);
        store<i32>(ids + end, <i32>(token >> 2));
        store<f32>(list + end, (max - load<f32>(values + token)) * scale);
      }
    }
  }
  return <i32>((end - begin) >> 2);
}
