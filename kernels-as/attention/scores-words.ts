import { multiplyAdd } from '../vector';

// The same as scores-bytes.ts without relaxed instructions: bytes are widened to words before they are multiplied.

function dot(sums: v128, keys: v128, query: v128): v128 {
  return i32x4.add(sums, i32x4.dot_i16x8_s(keys, query));
}

/** The scores of four keys, for which `low` and `high` hold two sums each, in one group of dims, added to `before`. */
function score(low: v128, high: v128, scales: usize, keyScales: v128, before: v128): v128 {
  const pairs = i32x4.add(i32x4.shuffle(low, high, 0, 2, 4, 6), i32x4.shuffle(low, high, 1, 3, 5, 7));
  const sums = i32x4.add(pairs, v128.load32_splat(scales, 16));
  return multiplyAdd(f32x4.mul(f32x4.convert_i32x4_s(sums), keyScales), v128.load32_splat(scales), before);
}

/** Four dims of a query as words, twice. */
function words(query: usize): v128 {
  return i16x8.extend_low_i8x16_s(v128.load32_splat(query));
}

/** Four queries, four keys at once: out f32 [4][32]. `count` dims, a multiple of 8, of one group of 32. */
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
  for (let part: usize = 0; part < 128; part += 16) {
    for (const $query of upTo(4)) {
      let a$query_0 = i32x4.splat(0);
      let a$query_1 = a$query_0;
    }
    let k = keys + part;
    for (let q = query; q < end; q += 16) {
      const k0 = v128.load8x8_u(k);
      const k1 = v128.load8x8_u(k, 8);
      for (const $query of upTo(4)) {
        let v = words(q + 4 * $query);
        a$query_0 = dot(a$query_0, k0, v);
        a$query_1 = dot(a$query_1, k1, v);
      }
      k += 128;
    }
    const s = v128.load(scales + part);
    const to = out + part;
    const from = before + part;
    for (const $query of upTo(4)) {
      const score$query = score(a$query_0, a$query_1, queryScales + 4 * $query, s, v128.load(from, 128 * $query));
      v128.store(to, score$query, 128 * $query);
    }
  }
}

/** One of four queries, eight keys at once: out f32 [32]. */
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
  for (let part: usize = 0; part < 128; part += 32) {
    for (const $i of upTo(4)) {
      let a$i = i32x4.splat(0);
    }
    let k = keys + part;
    for (let q = query; q < end; q += 16) {
      const v = words(q);
      for (const $i of upTo(4)) {
        a$i = dot(a$i, v128.load8x8_u(k, 8 * $i), v);
      }
      k += 128;
    }
    const s = scales + part;
    const to = out + part;
    const from = before + part;
    v128.store(to, score(a0, a1, queryScales, v128.load(s), v128.load(from)));
    v128.store(to, score(a2, a3, queryScales, v128.load(s, 16), v128.load(from, 16)), 16);
  }
}
