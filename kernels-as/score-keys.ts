import { FLIP, NIBBLES } from './constants';
import { dot, join } from './dot';
import { multiplyAdd, upper } from './vector';

// Query heads against int8 keys as q8 weights meet rows: keys + 128 are whole bytes with VNNI and two nibbles without.
// The terms of a head: f32 scales, then i32 128 times the sum, one of each for 32 dims.

/** Bytes of one head's terms. */
export function termBytes(headDim: i32): usize {
  return (<usize>(headDim + 31) >> 5) << 3;
}

/** What the first dot takes of the keys. */
function lower(keys: v128, mask: v128): v128 {
  return VNNI ? keys : v128.and(keys, mask);
}

/** Sums of a block as floats, without the zero point. */
function joined(low: v128, high: v128, zero: v128): v128 {
  const sums = VNNI ? low : i32x4.add(i32x4.shl(join(high), 4), join(low));
  return f32x4.convert_i32x4_s(i32x4.sub(sums, zero));
}

/** Scores of one head against eight keys, f32 [8] at `out`. */
function scoreOne(out: usize, query: usize, terms: usize, keys: usize, scales: usize, headDim: i32): void {
  const flip0 = v128.load(FLIP);
  const flip1 = v128.load(FLIP, 16);
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  const sums = termBytes(headDim) >> 1;
  let sumA0 = f32x4.splat(0);
  let sumA1 = sumA0;
  for (let dim = 0; dim < headDim; dim += 32) {
    const end = query + <usize>min(32, headDim - dim);
    let aLow0 = i32x4.splat(0);
    let aLow1 = aLow0;
    let aHigh0 = aLow0;
    let aHigh1 = aLow0;
    for (; query < end; query += 4) {
      const k0 = v128.xor(v128.load(keys), flip0);
      const k1 = v128.xor(v128.load(keys, 16), flip1);
      const v = v128.load32_splat(query);
      aLow0 = dot(aLow0, v, lower(k0, nibbles0));
      aLow1 = dot(aLow1, v, lower(k1, nibbles1));
      if (!VNNI) {
        aHigh0 = dot(aHigh0, v, upper(k0, nibbles0));
        aHigh1 = dot(aHigh1, v, upper(k1, nibbles1));
      }
      keys += 32;
    }
    const scale0 = v128.load(scales);
    const scale1 = v128.load(scales, 16);
    const scale = v128.load32_splat(terms);
    const zero = v128.load32_splat(terms + sums);
    sumA0 = multiplyAdd(joined(aLow0, aHigh0, zero), f32x4.mul(scale0, scale), sumA0);
    sumA1 = multiplyAdd(joined(aLow1, aHigh1, zero), f32x4.mul(scale1, scale), sumA1);
    terms += 4;
    scales += 128;
  }
  v128.store(out, sumA0);
  v128.store(out, sumA1, 16);
}

/** The same for two heads. */
function scoreTwo(out: usize, query: usize, terms: usize, keys: usize, scales: usize, headDim: i32): void {
  const flip0 = v128.load(FLIP);
  const flip1 = v128.load(FLIP, 16);
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  const stride = <usize>headDim;
  const termStride = termBytes(headDim);
  const sums = termStride >> 1;
  let sumA0 = f32x4.splat(0);
  let sumA1 = sumA0;
  let sumB0 = sumA0;
  let sumB1 = sumA0;
  for (let dim = 0; dim < headDim; dim += 32) {
    const end = query + <usize>min(32, headDim - dim);
    let aLow0 = i32x4.splat(0);
    let aLow1 = aLow0;
    let aHigh0 = aLow0;
    let aHigh1 = aLow0;
    let bLow0 = aLow0;
    let bLow1 = aLow0;
    let bHigh0 = aLow0;
    let bHigh1 = aLow0;
    for (; query < end; query += 4) {
      const k0 = v128.xor(v128.load(keys), flip0);
      const k1 = v128.xor(v128.load(keys, 16), flip1);
      let v: v128;
      v = v128.load32_splat(query);
      aLow0 = dot(aLow0, v, lower(k0, nibbles0));
      aLow1 = dot(aLow1, v, lower(k1, nibbles1));
      if (!VNNI) {
        aHigh0 = dot(aHigh0, v, upper(k0, nibbles0));
        aHigh1 = dot(aHigh1, v, upper(k1, nibbles1));
      }
      v = v128.load32_splat(query + stride);
      bLow0 = dot(bLow0, v, lower(k0, nibbles0));
      bLow1 = dot(bLow1, v, lower(k1, nibbles1));
      if (!VNNI) {
        bHigh0 = dot(bHigh0, v, upper(k0, nibbles0));
        bHigh1 = dot(bHigh1, v, upper(k1, nibbles1));
      }
      keys += 32;
    }
    const scale0 = v128.load(scales);
    const scale1 = v128.load(scales, 16);
    let scale = v128.load32_splat(terms);
    let zero = v128.load32_splat(terms + sums);
    sumA0 = multiplyAdd(joined(aLow0, aHigh0, zero), f32x4.mul(scale0, scale), sumA0);
    sumA1 = multiplyAdd(joined(aLow1, aHigh1, zero), f32x4.mul(scale1, scale), sumA1);
    scale = v128.load32_splat(terms + termStride);
    zero = v128.load32_splat(terms + sums + termStride);
    sumB0 = multiplyAdd(joined(bLow0, bHigh0, zero), f32x4.mul(scale0, scale), sumB0);
    sumB1 = multiplyAdd(joined(bLow1, bHigh1, zero), f32x4.mul(scale1, scale), sumB1);
    terms += 4;
    scales += 128;
  }
  v128.store(out, sumA0);
  v128.store(out, sumA1, 16);
  v128.store(out, sumB0, 128);
  v128.store(out, sumB1, 144);
}

/** The same for four heads, for which each key is loaded once. */
function scoreFour(out: usize, query: usize, terms: usize, keys: usize, scales: usize, headDim: i32): void {
  const flip0 = v128.load(FLIP);
  const flip1 = v128.load(FLIP, 16);
  const nibbles0 = v128.load(NIBBLES);
  const nibbles1 = v128.load(NIBBLES, 16);
  const stride = <usize>headDim;
  const termStride = termBytes(headDim);
  const sums = termStride >> 1;
  let sumA0 = f32x4.splat(0);
  let sumA1 = sumA0;
  let sumB0 = sumA0;
  let sumB1 = sumA0;
  let sumC0 = sumA0;
  let sumC1 = sumA0;
  let sumD0 = sumA0;
  let sumD1 = sumA0;
  for (let dim = 0; dim < headDim; dim += 32) {
    const end = query + <usize>min(32, headDim - dim);
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
    for (; query < end; query += 4) {
      const k0 = v128.xor(v128.load(keys), flip0);
      const k1 = v128.xor(v128.load(keys, 16), flip1);
      let v: v128;
      v = v128.load32_splat(query);
      aLow0 = dot(aLow0, v, lower(k0, nibbles0));
      aLow1 = dot(aLow1, v, lower(k1, nibbles1));
      if (!VNNI) {
        aHigh0 = dot(aHigh0, v, upper(k0, nibbles0));
        aHigh1 = dot(aHigh1, v, upper(k1, nibbles1));
      }
      v = v128.load32_splat(query + stride);
      bLow0 = dot(bLow0, v, lower(k0, nibbles0));
      bLow1 = dot(bLow1, v, lower(k1, nibbles1));
      if (!VNNI) {
        bHigh0 = dot(bHigh0, v, upper(k0, nibbles0));
        bHigh1 = dot(bHigh1, v, upper(k1, nibbles1));
      }
      v = v128.load32_splat(query + 2 * stride);
      cLow0 = dot(cLow0, v, lower(k0, nibbles0));
      cLow1 = dot(cLow1, v, lower(k1, nibbles1));
      if (!VNNI) {
        cHigh0 = dot(cHigh0, v, upper(k0, nibbles0));
        cHigh1 = dot(cHigh1, v, upper(k1, nibbles1));
      }
      v = v128.load32_splat(query + 3 * stride);
      dLow0 = dot(dLow0, v, lower(k0, nibbles0));
      dLow1 = dot(dLow1, v, lower(k1, nibbles1));
      if (!VNNI) {
        dHigh0 = dot(dHigh0, v, upper(k0, nibbles0));
        dHigh1 = dot(dHigh1, v, upper(k1, nibbles1));
      }
      keys += 32;
    }
    const scale0 = v128.load(scales);
    const scale1 = v128.load(scales, 16);
    let scale = v128.load32_splat(terms);
    let zero = v128.load32_splat(terms + sums);
    sumA0 = multiplyAdd(joined(aLow0, aHigh0, zero), f32x4.mul(scale0, scale), sumA0);
    sumA1 = multiplyAdd(joined(aLow1, aHigh1, zero), f32x4.mul(scale1, scale), sumA1);
    scale = v128.load32_splat(terms + termStride);
    zero = v128.load32_splat(terms + sums + termStride);
    sumB0 = multiplyAdd(joined(bLow0, bHigh0, zero), f32x4.mul(scale0, scale), sumB0);
    sumB1 = multiplyAdd(joined(bLow1, bHigh1, zero), f32x4.mul(scale1, scale), sumB1);
    scale = v128.load32_splat(terms + 2 * termStride);
    zero = v128.load32_splat(terms + sums + 2 * termStride);
    sumC0 = multiplyAdd(joined(cLow0, cHigh0, zero), f32x4.mul(scale0, scale), sumC0);
    sumC1 = multiplyAdd(joined(cLow1, cHigh1, zero), f32x4.mul(scale1, scale), sumC1);
    scale = v128.load32_splat(terms + 3 * termStride);
    zero = v128.load32_splat(terms + sums + 3 * termStride);
    sumD0 = multiplyAdd(joined(dLow0, dHigh0, zero), f32x4.mul(scale0, scale), sumD0);
    sumD1 = multiplyAdd(joined(dLow1, dHigh1, zero), f32x4.mul(scale1, scale), sumD1);
    terms += 4;
    scales += 128;
  }
  v128.store(out, sumA0);
  v128.store(out, sumA1, 16);
  v128.store(out, sumB0, 128);
  v128.store(out, sumB1, 144);
  v128.store(out, sumC0, 256);
  v128.store(out, sumC1, 272);
  v128.store(out, sumD0, 384);
  v128.store(out, sumD1, 400);
}

/** Scores of `groupSize` heads against eight keys: f32 [8] for each head, 128 bytes apart. scales: the keys', f32 [32] for each 32 dims. */
export function scoreHeads(
  out: usize,
  query: usize,
  terms: usize,
  keys: usize,
  scales: usize,
  groupSize: i32,
  headDim: i32,
): void {
  let left = groupSize;
  for (; left >= 4; left -= 4) {
    scoreFour(out, query, terms, keys, scales, headDim);
    out += 512;
    query += (<usize>headDim) << 2;
    terms += termBytes(headDim) << 2;
  }
  if (left >= 2) {
    scoreTwo(out, query, terms, keys, scales, headDim);
    out += 256;
    query += (<usize>headDim) << 1;
    terms += termBytes(headDim) << 1;
    left -= 2;
  }
  if (left) scoreOne(out, query, terms, keys, scales, headDim);
}
