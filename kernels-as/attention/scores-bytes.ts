import { dot } from '../matmul/dot';
import { multiplyAdd } from '../vector';

// Scores of int8 queries against the 32 keys of a block, where one instruction multiplies bytes and adds to 32 bits.
// Queries and keys as attention-q8.ts lays them out. No branch stands between stores, so that they pair up.

/** The scores of four keys in one group of dims, added to `before`. `extra`: what each sum has too much, negated. */
function score(sums: v128, extra: v128, keyScales: v128, queryScale: v128, before: v128): v128 {
  return multiplyAdd(f32x4.mul(f32x4.convert_i32x4_s(i32x4.add(sums, extra)), keyScales), queryScale, before);
}

/** Four queries: out f32 [4][32]. `count` dims, a multiple of 8, of one group of 32. */
export function fourQueries(
  out: usize,
  before: usize,
  query: usize,
  queryScales: usize,
  keys: usize,
  scales: usize,
  count: i32,
): void {
  const end = query + ((<usize>count) << 2);
  for (let part: usize = 0; part < 128; part += 64) {
    for (const $query of upTo(4)) {
      for (const $i of upTo(4)) {
        let a$query_$i = i32x4.splat(0);
      }
    }
    let k = keys + part;
    for (let q = query; q < end; q += 16) {
      for (const $i of upTo(4)) {
        const k$i = v128.load(k, 16 * $i);
      }
      for (const $query of upTo(4)) {
        let v = v128.load32_splat(q, 4 * $query);
        for (const $i of upTo(4)) {
          a$query_$i = dot(a$query_$i, v, k$i);
        }
      }
      k += 128;
    }
    for (const $i of upTo(4)) {
      const s$i = v128.load(scales + part, 16 * $i);
    }
    const to = out + part;
    const from = before + part;
    for (const $query of upTo(4)) {
      let scale = v128.load32_splat(queryScales, 4 * $query);
      let extra = v128.load32_splat(queryScales, 4 * $query + 16);
      for (const [$i, $j] of pairs(4)) {
        let first = score(a$query_$i, extra, s$i, scale, v128.load(from, 128 * $query + 16 * $i));
        let second = score(a$query_$j, extra, s$j, scale, v128.load(from, 128 * $query + 16 * $j));
        v128.store(to, first, 128 * $query + 16 * $i);
        v128.store(to, second, 128 * $query + 16 * $j);
      }
    }
  }
}

/** One of four queries: out f32 [32]. */
export function oneQuery(
  out: usize,
  before: usize,
  query: usize,
  queryScales: usize,
  keys: usize,
  scales: usize,
  count: i32,
): void {
  const end = query + ((<usize>count) << 2);
  for (const $i of upTo(8)) {
    let a$i = i32x4.splat(0);
  }
  for (; query < end; query += 16) {
    const v = v128.load32_splat(query);
    for (const $i of upTo(8)) {
      a$i = dot(a$i, v, v128.load(keys, 16 * $i));
    }
    keys += 128;
  }
  const scale = v128.load32_splat(queryScales);
  const extra = v128.load32_splat(queryScales, 16);
  for (const [$i, $j] of pairs(8)) {
    let first = score(a$i, extra, v128.load(scales, 16 * $i), scale, v128.load(before, 16 * $i));
    let second = score(a$j, extra, v128.load(scales, 16 * $j), scale, v128.load(before, 16 * $j));
    v128.store(out, first, 16 * $i);
    v128.store(out, second, 16 * $j);
  }
}
