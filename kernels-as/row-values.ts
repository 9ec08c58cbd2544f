import { INFINITY_F32, NIBBLE_BITS } from './constants';
import { BLOCK, blockMaxAt, idsAt, listAt, listMassesAt, VALUES } from './row-layout';
import { maxLanes } from './vector';

/** Writes the largest logit of each block and returns that of all; NaN where one is NaN or +Infinity. */
export function maxima(size: usize): f32 {
  const blockMax = blockMaxAt(size);
  const infinity = v128.load(INFINITY_F32);
  let finite = i32x4.splat(-1);
  let largest: f32 = -Infinity;
  for (let block: usize = 0; block < size / BLOCK; block++) {
    const from = VALUES + block * (BLOCK << 2);
    let a = v128.load(from);
    let b = v128.load(from, 16);
    finite = v128.and(finite, v128.and(f32x4.lt(a, infinity), f32x4.lt(b, infinity)));
    for (let at = from + 32; at < from + (BLOCK << 2); at += 32) {
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

/** Bans every token whose bit is 0. Bits: u32 [size / 32] at `listMassesAt`. */
export function allow(size: usize): void {
  const words = listMassesAt(size);
  const bits = v128.load(NIBBLE_BITS);
  const banned = f32x4.splat(-Infinity);
  for (let word: usize = 0; word < size >> 5; word++) {
    const allowed = load<u32>(words + (word << 2));
    if (allowed == 0xffffffff) continue;
    const from = VALUES + (word << 7);
    for (let nibble: u32 = 0; nibble < 8; nibble++) {
      const at = from + (nibble << 4);
      const isAllowed = i32x4.ne(v128.and(i32x4.splat(allowed >> (nibble << 2)), bits), i32x4.splat(0));
      v128.store(at, v128.bitselect(v128.load(at), banned, isAllowed));
    }
  }
}

/** Lists the logits that are at least `limit`, and their ids in their order; returns how many there are. */
export function listAtLeast(size: usize, limit: f32): i32 {
  const blockMax = blockMaxAt(size);
  const ids = idsAt(size);
  const list = listAt(size);
  const least = f32x4.splat(limit);
  let end: usize = 0;
  for (let block: usize = 0; block < size / BLOCK; block++) {
    if (load<f32>(blockMax + (block << 2)) < limit) continue;
    for (let id = block * BLOCK; id < (block + 1) * BLOCK; id += 4) {
      let lanes = i32x4.bitmask(f32x4.ge(v128.load(VALUES + (id << 2)), least));
      for (; lanes != 0; lanes &= lanes - 1, end += 4) {
        const own = id + ctz(lanes);
        store<i32>(ids + end, <i32>own);
        store<f32>(list + end, load<f32>(VALUES + (own << 2)));
      }
    }
  }
  return <i32>(end >> 2);
}
