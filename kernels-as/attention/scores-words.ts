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
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let b0 = a0;
    let b1 = a0;
    let c0 = a0;
    let c1 = a0;
    let d0 = a0;
    let d1 = a0;
    let k = keys + part;
    for (let q = query; q < end; q += 16) {
      const k0 = v128.load8x8_u(k);
      const k1 = v128.load8x8_u(k, 8);
      let v = words(q);
      a0 = dot(a0, k0, v);
      a1 = dot(a1, k1, v);
      v = words(q + 4);
      b0 = dot(b0, k0, v);
      b1 = dot(b1, k1, v);
      v = words(q + 8);
      c0 = dot(c0, k0, v);
      c1 = dot(c1, k1, v);
      v = words(q + 12);
      d0 = dot(d0, k0, v);
      d1 = dot(d1, k1, v);
      k += 128;
    }
    const s = v128.load(scales + part);
    const to = out + part;
    const from = before + part;
    v128.store(to, score(a0, a1, queryScales, s, v128.load(from)));
    v128.store(to, score(b0, b1, queryScales + 4, s, v128.load(from, 128)), 128);
    v128.store(to, score(c0, c1, queryScales + 8, s, v128.load(from, 256)), 256);
    v128.store(to, score(d0, d1, queryScales + 12, s, v128.load(from, 384)), 384);
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
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let k = keys + part;
    for (let q = query; q < end; q += 16) {
      const v = words(q);
      a0 = dot(a0, v128.load8x8_u(k), v);
      a1 = dot(a1, v128.load8x8_u(k, 8), v);
      a2 = dot(a2, v128.load8x8_u(k, 16), v);
      a3 = dot(a3, v128.load8x8_u(k, 24), v);
      k += 128;
    }
    const s = scales + part;
    const to = out + part;
    const from = before + part;
    v128.store(to, score(a0, a1, queryScales, v128.load(s), v128.load(from)));
    v128.store(to, score(a2, a3, queryScales, v128.load(s, 16), v128.load(from, 16)), 16);
  }
}
