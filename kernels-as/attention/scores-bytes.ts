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
    let a0 = i32x4.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = a0;
    let b1 = a0;
    let b2 = a0;
    let b3 = a0;
    let c0 = a0;
    let c1 = a0;
    let c2 = a0;
    let c3 = a0;
    let d0 = a0;
    let d1 = a0;
    let d2 = a0;
    let d3 = a0;
    let k = keys + part;
    for (let q = query; q < end; q += 16) {
      const k0 = v128.load(k);
      const k1 = v128.load(k, 16);
      const k2 = v128.load(k, 32);
      const k3 = v128.load(k, 48);
      let v = v128.load32_splat(q);
      a0 = dot(a0, v, k0);
      a1 = dot(a1, v, k1);
      a2 = dot(a2, v, k2);
      a3 = dot(a3, v, k3);
      v = v128.load32_splat(q, 4);
      b0 = dot(b0, v, k0);
      b1 = dot(b1, v, k1);
      b2 = dot(b2, v, k2);
      b3 = dot(b3, v, k3);
      v = v128.load32_splat(q, 8);
      c0 = dot(c0, v, k0);
      c1 = dot(c1, v, k1);
      c2 = dot(c2, v, k2);
      c3 = dot(c3, v, k3);
      v = v128.load32_splat(q, 12);
      d0 = dot(d0, v, k0);
      d1 = dot(d1, v, k1);
      d2 = dot(d2, v, k2);
      d3 = dot(d3, v, k3);
      k += 128;
    }
    const s0 = v128.load(scales + part);
    const s1 = v128.load(scales + part, 16);
    const s2 = v128.load(scales + part, 32);
    const s3 = v128.load(scales + part, 48);
    const to = out + part;
    const from = before + part;
    let scale = v128.load32_splat(queryScales);
    let extra = v128.load32_splat(queryScales, 16);
    let first = score(a0, extra, s0, scale, v128.load(from));
    let second = score(a1, extra, s1, scale, v128.load(from, 16));
    v128.store(to, first);
    v128.store(to, second, 16);
    first = score(a2, extra, s2, scale, v128.load(from, 32));
    second = score(a3, extra, s3, scale, v128.load(from, 48));
    v128.store(to, first, 32);
    v128.store(to, second, 48);
    scale = v128.load32_splat(queryScales, 4);
    extra = v128.load32_splat(queryScales, 20);
    first = score(b0, extra, s0, scale, v128.load(from, 128));
    second = score(b1, extra, s1, scale, v128.load(from, 144));
    v128.store(to, first, 128);
    v128.store(to, second, 144);
    first = score(b2, extra, s2, scale, v128.load(from, 160));
    second = score(b3, extra, s3, scale, v128.load(from, 176));
    v128.store(to, first, 160);
    v128.store(to, second, 176);
    scale = v128.load32_splat(queryScales, 8);
    extra = v128.load32_splat(queryScales, 24);
    first = score(c0, extra, s0, scale, v128.load(from, 256));
    second = score(c1, extra, s1, scale, v128.load(from, 272));
    v128.store(to, first, 256);
    v128.store(to, second, 272);
    first = score(c2, extra, s2, scale, v128.load(from, 288));
    second = score(c3, extra, s3, scale, v128.load(from, 304));
    v128.store(to, first, 288);
    v128.store(to, second, 304);
    scale = v128.load32_splat(queryScales, 12);
    extra = v128.load32_splat(queryScales, 28);
    first = score(d0, extra, s0, scale, v128.load(from, 384));
    second = score(d1, extra, s1, scale, v128.load(from, 400));
    v128.store(to, first, 384);
    v128.store(to, second, 400);
    first = score(d2, extra, s2, scale, v128.load(from, 416));
    second = score(d3, extra, s3, scale, v128.load(from, 432));
    v128.store(to, first, 416);
    v128.store(to, second, 432);
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
  let a0 = i32x4.splat(0);
  let a1 = a0;
  let a2 = a0;
  let a3 = a0;
  let a4 = a0;
  let a5 = a0;
  let a6 = a0;
  let a7 = a0;
  for (; query < end; query += 16) {
    const v = v128.load32_splat(query);
    a0 = dot(a0, v, v128.load(keys));
    a1 = dot(a1, v, v128.load(keys, 16));
    a2 = dot(a2, v, v128.load(keys, 32));
    a3 = dot(a3, v, v128.load(keys, 48));
    a4 = dot(a4, v, v128.load(keys, 64));
    a5 = dot(a5, v, v128.load(keys, 80));
    a6 = dot(a6, v, v128.load(keys, 96));
    a7 = dot(a7, v, v128.load(keys, 112));
    keys += 128;
  }
  const scale = v128.load32_splat(queryScales);
  const extra = v128.load32_splat(queryScales, 16);
  let first = score(a0, extra, v128.load(scales), scale, v128.load(before));
  let second = score(a1, extra, v128.load(scales, 16), scale, v128.load(before, 16));
  v128.store(out, first);
  v128.store(out, second, 16);
  first = score(a2, extra, v128.load(scales, 32), scale, v128.load(before, 32));
  second = score(a3, extra, v128.load(scales, 48), scale, v128.load(before, 48));
  v128.store(out, first, 32);
  v128.store(out, second, 48);
  first = score(a4, extra, v128.load(scales, 64), scale, v128.load(before, 64));
  second = score(a5, extra, v128.load(scales, 80), scale, v128.load(before, 80));
  v128.store(out, first, 64);
  v128.store(out, second, 80);
  first = score(a6, extra, v128.load(scales, 96), scale, v128.load(before, 96));
  second = score(a7, extra, v128.load(scales, 112), scale, v128.load(before, 112));
  v128.store(out, first, 96);
  v128.store(out, second, 112);
}
