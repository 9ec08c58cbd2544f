import { NIBBLES } from '../constants';
import { dot, join } from '../matmul/dot';
import { multiplyAdd, upper } from '../vector';

// The same as scores-bytes.ts for dots whose second operand ends at 127: a key's byte is 16 · high + low, two nibbles
// that meet the query apart, in sums of 16 bits for a whole group of dims (32 · 15 · 127 over lanes of pairs).

/** The scores of four keys in one group of dims, added to `before`. `extra`: what each sum has too much, negated. */
function score(low: v128, high: v128, extra: v128, keyScales: v128, queryScale: v128, before: v128): v128 {
  const sums = i32x4.add(i32x4.shl(join(high), 4), i32x4.add(join(low), extra));
  return multiplyAdd(f32x4.mul(f32x4.convert_i32x4_s(sums), keyScales), queryScale, before);
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
  if (NARROW) fourNarrow(out, before, query, queryScales, keys, scales, count);
  else fourWide(out, before, query, queryScales, keys, scales, count);
}

/** Eight keys at once. */
function fourWide(
  out: usize,
  before: usize,
  query: usize,
  queryScales: usize,
  keys: usize,
  scales: usize,
  count: i32,
): void {
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  const end = query + ((<usize>count) << 2);
  for (let part: usize = 0; part < 128; part += 32) {
    for (const $query of upTo(4)) {
      let low$query_0 = i32x4.splat(0);
      let low$query_1 = low$query_0;
      let high$query_0 = low$query_0;
      let high$query_1 = low$query_0;
    }
    let k = keys + part;
    for (let q = query; q < end; q += 16) {
      const k0 = v128.load(k);
      const k1 = v128.load(k, 16);
      const low0 = v128.and(k0, nibbles0);
      const low1 = v128.and(k1, nibbles1);
      const high0 = upper(k0, nibbles0);
      const high1 = upper(k1, nibbles1);
      for (const $query of upTo(4)) {
        let v = v128.load32_splat(q, 4 * $query);
        low$query_0 = dot(low$query_0, v, low0);
        low$query_1 = dot(low$query_1, v, low1);
        high$query_0 = dot(high$query_0, v, high0);
        high$query_1 = dot(high$query_1, v, high1);
      }
      k += 128;
    }
    const s0 = v128.load(scales + part);
    const s1 = v128.load(scales + part, 16);
    const to = out + part;
    const from = before + part;
    for (const $query of upTo(4)) {
      let scale = v128.load32_splat(queryScales, 4 * $query);
      let extra = v128.load32_splat(queryScales, 4 * $query + 16);
      let first = score(low$query_0, high$query_0, extra, s0, scale, v128.load(from, 128 * $query));
      let second = score(low$query_1, high$query_1, extra, s1, scale, v128.load(from, 128 * $query + 16));
      v128.store(to, first, 128 * $query);
      v128.store(to, second, 128 * $query + 16);
    }
  }
}

/** Four queries two at a time, four keys at once: more sums than these leave the registers. */
function fourNarrow(
  out: usize,
  before: usize,
  query: usize,
  queryScales: usize,
  keys: usize,
  scales: usize,
  count: i32,
): void {
  for (let pair: usize = 0; pair < 2; pair++) {
    twoNarrow(out, before, query, queryScales, keys, scales, count);
    out += 256;
    before += 256;
    query += 8;
    queryScales += 8;
  }
}

function twoNarrow(
  out: usize,
  before: usize,
  query: usize,
  queryScales: usize,
  keys: usize,
  scales: usize,
  count: i32,
): void {
  const nibbles = v128.load(NIBBLES);
  const end = query + ((<usize>count) << 2);
  for (let part: usize = 0; part < 128; part += 16) {
    for (const $query of upTo(2)) {
      let low$query = i32x4.splat(0);
      let high$query = i32x4.splat(0);
    }
    let k = keys + part;
    for (let q = query; q < end; q += 32) {
      for (const $step of upTo(2)) {
        let key = v128.load(k, 128 * $step);
        let low = v128.and(key, nibbles);
        let high = upper(key, nibbles);
        for (const $query of upTo(2)) {
          let v = v128.load32_splat(q, 16 * $step + 4 * $query);
          low$query = dot(low$query, v, low);
          high$query = dot(high$query, v, high);
        }
      }
      k += 256;
    }
    const s = v128.load(scales + part);
    const to = out + part;
    const from = before + part;
    for (const $query of upTo(2)) {
      const extra$query = v128.load32_splat(queryScales, 4 * $query + 16);
      const scale$query = v128.load32_splat(queryScales, 4 * $query);
      const score$query = score(low$query, high$query, extra$query, s, scale$query, v128.load(from, 128 * $query));
      v128.store(to, score$query, 128 * $query);
    }
  }
}

/** One of four queries, sixteen keys at once: out f32 [32]. */
export function oneQuery(
  out: usize,
  before: usize,
  query: usize,
  queryScales: usize,
  keys: usize,
  scales: usize,
  count: i32,
): void {
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  const end = query + ((<usize>count) << 2);
  for (let part: usize = 0; part < 128; part += 64) {
    for (const $i of upTo(4)) {
      let low$i = i32x4.splat(0);
    }
    for (const $i of upTo(4)) {
      let high$i = i32x4.splat(0);
    }
    let k = keys + part;
    for (let q = query; q < end; q += 16) {
      const v = v128.load32_splat(q);
      for (const $i of upTo(4)) {
        const k$i = v128.load(k, 16 * $i);
      }
      for (const [$i, $j] of pairs(4)) {
        low$i = dot(low$i, v, v128.and(k$i, nibbles0));
        low$j = dot(low$j, v, v128.and(k$j, nibbles1));
      }
      for (const [$i, $j] of pairs(4)) {
        high$i = dot(high$i, v, upper(k$i, nibbles0));
        high$j = dot(high$j, v, upper(k$j, nibbles1));
      }
      k += 128;
    }
    const s = scales + part;
    const to = out + part;
    const from = before + part;
    const scale = v128.load32_splat(queryScales);
    const extra = v128.load32_splat(queryScales, 16);
    for (const [$i, $j] of pairs(4)) {
      let first = score(low$i, high$i, extra, v128.load(s, 16 * $i), scale, v128.load(from, 16 * $i));
      let second = score(low$j, high$j, extra, v128.load(s, 16 * $j), scale, v128.load(from, 16 * $j));
      v128.store(to, first, 16 * $i);
      v128.store(to, second, 16 * $j);
    }
  }
}
