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
    let aLow0 = i32x4.splat(0);
    let aLow1 = aLow0;
    let aHigh0 = aLow0;
    let aHigh1 = aLow0;
    let bLow0 = aLow0;
    let bLow1 = aLow0;
    let bHigh0 = aLow0;
    let bHigh1 = aLow0;
    let cLow0 = aLow0;
    let cLow1 = aLow0;
    let cHigh0 = aLow0;
    let cHigh1 = aLow0;
    let dLow0 = aLow0;
    let dLow1 = aLow0;
    let dHigh0 = aLow0;
    let dHigh1 = aLow0;
    let k = keys + part;
    for (let q = query; q < end; q += 16) {
      const k0 = v128.load(k);
      const k1 = v128.load(k, 16);
      const low0 = v128.and(k0, nibbles0);
      const low1 = v128.and(k1, nibbles1);
      const high0 = upper(k0, nibbles0);
      const high1 = upper(k1, nibbles1);
      let v = v128.load32_splat(q);
      aLow0 = dot(aLow0, v, low0);
      aLow1 = dot(aLow1, v, low1);
      aHigh0 = dot(aHigh0, v, high0);
      aHigh1 = dot(aHigh1, v, high1);
      v = v128.load32_splat(q, 4);
      bLow0 = dot(bLow0, v, low0);
      bLow1 = dot(bLow1, v, low1);
      bHigh0 = dot(bHigh0, v, high0);
      bHigh1 = dot(bHigh1, v, high1);
      v = v128.load32_splat(q, 8);
      cLow0 = dot(cLow0, v, low0);
      cLow1 = dot(cLow1, v, low1);
      cHigh0 = dot(cHigh0, v, high0);
      cHigh1 = dot(cHigh1, v, high1);
      v = v128.load32_splat(q, 12);
      dLow0 = dot(dLow0, v, low0);
      dLow1 = dot(dLow1, v, low1);
      dHigh0 = dot(dHigh0, v, high0);
      dHigh1 = dot(dHigh1, v, high1);
      k += 128;
    }
    const s0 = v128.load(scales + part);
    const s1 = v128.load(scales + part, 16);
    const to = out + part;
    const from = before + part;
    let scale = v128.load32_splat(queryScales);
    let extra = v128.load32_splat(queryScales, 16);
    let first = score(aLow0, aHigh0, extra, s0, scale, v128.load(from));
    let second = score(aLow1, aHigh1, extra, s1, scale, v128.load(from, 16));
    v128.store(to, first);
    v128.store(to, second, 16);
    scale = v128.load32_splat(queryScales, 4);
    extra = v128.load32_splat(queryScales, 20);
    first = score(bLow0, bHigh0, extra, s0, scale, v128.load(from, 128));
    second = score(bLow1, bHigh1, extra, s1, scale, v128.load(from, 144));
    v128.store(to, first, 128);
    v128.store(to, second, 144);
    scale = v128.load32_splat(queryScales, 8);
    extra = v128.load32_splat(queryScales, 24);
    first = score(cLow0, cHigh0, extra, s0, scale, v128.load(from, 256));
    second = score(cLow1, cHigh1, extra, s1, scale, v128.load(from, 272));
    v128.store(to, first, 256);
    v128.store(to, second, 272);
    scale = v128.load32_splat(queryScales, 12);
    extra = v128.load32_splat(queryScales, 28);
    first = score(dLow0, dHigh0, extra, s0, scale, v128.load(from, 384));
    second = score(dLow1, dHigh1, extra, s1, scale, v128.load(from, 400));
    v128.store(to, first, 384);
    v128.store(to, second, 400);
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
    let aLow = i32x4.splat(0);
    let aHigh = aLow;
    let bLow = aLow;
    let bHigh = aLow;
    let k = keys + part;
    for (let q = query; q < end; q += 32) {
      let key = v128.load(k);
      let low = v128.and(key, nibbles);
      let high = upper(key, nibbles);
      let v = v128.load32_splat(q);
      aLow = dot(aLow, v, low);
      aHigh = dot(aHigh, v, high);
      v = v128.load32_splat(q, 4);
      bLow = dot(bLow, v, low);
      bHigh = dot(bHigh, v, high);
      key = v128.load(k, 128);
      low = v128.and(key, nibbles);
      high = upper(key, nibbles);
      v = v128.load32_splat(q, 16);
      aLow = dot(aLow, v, low);
      aHigh = dot(aHigh, v, high);
      v = v128.load32_splat(q, 20);
      bLow = dot(bLow, v, low);
      bHigh = dot(bHigh, v, high);
      k += 256;
    }
    const s = v128.load(scales + part);
    const to = out + part;
    const from = before + part;
    v128.store(
      to,
      score(aLow, aHigh, v128.load32_splat(queryScales, 16), s, v128.load32_splat(queryScales), v128.load(from)),
    );
    v128.store(
      to,
      score(
        bLow,
        bHigh,
        v128.load32_splat(queryScales, 20),
        s,
        v128.load32_splat(queryScales, 4),
        v128.load(from, 128),
      ),
      128,
    );
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
    let low0 = i32x4.splat(0);
    let low1 = low0;
    let low2 = low0;
    let low3 = low0;
    let high0 = low0;
    let high1 = low0;
    let high2 = low0;
    let high3 = low0;
    let k = keys + part;
    for (let q = query; q < end; q += 16) {
      const v = v128.load32_splat(q);
      const k0 = v128.load(k);
      const k1 = v128.load(k, 16);
      const k2 = v128.load(k, 32);
      const k3 = v128.load(k, 48);
      low0 = dot(low0, v, v128.and(k0, nibbles0));
      low1 = dot(low1, v, v128.and(k1, nibbles1));
      low2 = dot(low2, v, v128.and(k2, nibbles0));
      low3 = dot(low3, v, v128.and(k3, nibbles1));
      high0 = dot(high0, v, upper(k0, nibbles0));
      high1 = dot(high1, v, upper(k1, nibbles1));
      high2 = dot(high2, v, upper(k2, nibbles0));
      high3 = dot(high3, v, upper(k3, nibbles1));
      k += 128;
    }
    const s = scales + part;
    const to = out + part;
    const from = before + part;
    const scale = v128.load32_splat(queryScales);
    const extra = v128.load32_splat(queryScales, 16);
    let first = score(low0, high0, extra, v128.load(s), scale, v128.load(from));
    let second = score(low1, high1, extra, v128.load(s, 16), scale, v128.load(from, 16));
    v128.store(to, first);
    v128.store(to, second, 16);
    first = score(low2, high2, extra, v128.load(s, 32), scale, v128.load(from, 32));
    second = score(low3, high3, extra, v128.load(s, 48), scale, v128.load(from, 48));
    v128.store(to, first, 32);
    v128.store(to, second, 48);
  }
}
