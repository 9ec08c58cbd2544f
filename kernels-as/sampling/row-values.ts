import { INFINITY_F32, NIBBLE_BITS } from '../constants';
import { allowedAt, BLOCK, BLOCK_BYTES, blockMaxAt, idsAt, listAt } from './row-layout';
import { maxLanes } from '../vector';

/** Copies the logits at `source`, f32 [vocabSize], to `values`. */
export function copyRow(
  values: usize,
  row: usize,
  size: usize,
  part: i32,
  from: usize,
  to: usize,
  source: usize,
  vocabSize: usize,
): void {
  const end = min(to * BLOCK, vocabSize) << 2;
  memory.copy(values + from * BLOCK_BYTES, source + from * BLOCK_BYTES, end - from * BLOCK_BYTES);
}

/** Writes the largest logit of each block and returns that of all; NaN where one is NaN or +Infinity. */
export function maxima(values: usize, row: usize, size: usize, part: i32, from: usize, to: usize): f32 {
  const blockMax = blockMaxAt(row, size);
  const infinity = v128.load(INFINITY_F32);
  let finite = i32x4.splat(-1);
  let largest: f32 = -Infinity;
  for (let block = from; block < to; block++) {
    const start = values + block * BLOCK_BYTES;
    let a = v128.load(start);
    let b = v128.load(start, 16);
    finite = v128.and(finite, v128.and(f32x4.lt(a, infinity), f32x4.lt(b, infinity)));
    for (let at = start + 32; at < start + BLOCK_BYTES; at += 32) {
      const c = v128.load(at);
      const d = v128.load(at, 16);
      finite = v128.and(finite, v128.and(f32x4.lt(c, infinity), f32x4.lt(d, infinity)));
      a = f32x4.pmax(a, c);
      b = f32x4.pmax(b, d);
    }
    const most = maxLanes(f32x4.pmax(a, b));
    store<f32>(blockMax + (block << 2), most);
    if (most > largest) largest = most;
  }
  return v128.all_true<i32>(finite) ? largest : NaN;
}

/** Bans every token whose bit is 0. Bits: u32 [size / 32] at `allowedAt`. */
export function allow(values: usize, row: usize, size: usize, part: i32, from: usize, to: usize): void {
  const words = allowedAt(row, size);
  const bits = v128.load(NIBBLE_BITS);
  const banned = f32x4.splat(-Infinity);
  for (let word = from * (BLOCK >> 5); word < to * (BLOCK >> 5); word++) {
    const allowed = load<u32>(words + (word << 2));
    if (allowed == 0xffffffff) continue;
    const start = values + (word << 7);
    for (let nibble: u32 = 0; nibble < 8; nibble++) {
      const at = start + (nibble << 4);
      const isAllowed = i32x4.ne(v128.and(i32x4.splat(allowed >> (nibble << 2)), bits), i32x4.splat(0));
      v128.store(at, v128.bitselect(v128.load(at), banned, isAllowed));
    }
  }
}

/** Lists the logits that are at least `limit`, and their ids in their order; returns how many there are. */
export function listAtLeast(values: usize, row: usize, size: usize, limit: f32): i32 {
  const blockMax = blockMaxAt(row, size);
  const ids = idsAt(row, size);
  const list = listAt(row, size);
  const least = f32x4.splat(limit);
  let end: usize = 0;
  for (let block: usize = 0; block < size / BLOCK; block++) {
    if (load<f32>(blockMax + (block << 2)) < limit) continue;
    for (let id = block * BLOCK; id < (block + 1) * BLOCK; id += 4) {
      let lanes = i32x4.bitmask(f32x4.ge(v128.load(values + (id << 2)), least));
      for (; lanes != 0; lanes &= lanes - 1, end += 4) {
        const own = id + ctz(lanes);
        store<i32>(ids + end, <i32>own);
        store<f32>(list + end, load<f32>(values + (own << 2)));
      }
    }
  }
  return <i32>(end >> 2);
}
