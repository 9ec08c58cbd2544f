import { addWide } from './add-values';
import { quantizedBytes, scaleBytes } from './kv-block';
import { blockScale, divisor, packBytes, quantize } from './quantize';
import { scoreHeads, termBytes } from './score-keys';
import { beginSoftmax, finishSoftmax, softmaxBlock } from './softmax';
import { multiplyAdd } from './vector';

/** Whether tiles are for registers of 256 bits. */
const WIDE: bool = ASC_FEATURE_RELAXED_SIMD && !NARROW;

/** Quantises one query head: int8 at `to`; at `terms` its terms (score-keys.ts), with scales times `scale`. */
function quantizeQuery(to: usize, terms: usize, query: usize, headDim: i32, scale: f32): void {
  const sums = termBytes(headDim) >> 1;
  for (let dim = 0; dim < headDim; dim += 32) {
    const count = min(32, headDim - dim);
    const own = blockScale(query, count);
    const by = divisor(own);
    let sum = i32x4.splat(0);
    for (let i = 0; i < count; i += 4) {
      const q = quantize(v128.load(query), by);
      sum = i32x4.add(sum, q);
      store<i32>(to, packBytes(q));
      query += 16;
      to += 4;
    }
    sum = i32x4.add(sum, i32x4.shuffle(sum, sum, 2, 3, 0, 1));
    store<f32>(terms, own * scale);
    store<i32>(terms + sums, (i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1)) << 7);
    terms += 4;
  }
}

function dot(sum: v128, k: v128, q: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(k, q));
}

/** Two vectors of lane pairs → one sum for each of four keys, as f32. */
function joinPairs(a: v128, b: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.add(i32x4.shuffle(a, b, 0, 2, 4, 6), i32x4.shuffle(a, b, 1, 3, 5, 7)));
}

/** Scores of one query head against eight keys: out f32 [8]. scales: the keys', f32 [32] for each 32 dims. */
function scoreNarrow(out: usize, query: usize, queryScales: usize, keys: usize, scales: usize, headDim: i32): void {
  let sum0 = f32x4.splat(0);
  let sum1 = sum0;
  for (let dim = 0; dim < headDim; dim += 32) {
    const end = query + <usize>min(32, headDim - dim);
    let p0 = i32x4.splat(0);
    let p1 = p0;
    let p2 = p0;
    let p3 = p0;
    for (; query < end; query += 4) {
      const q = i16x8.extend_low_i8x16_s(v128.load32_splat(query));
      p0 = dot(p0, v128.load8x8_s(keys), q);
      p1 = dot(p1, v128.load8x8_s(keys, 8), q);
      p2 = dot(p2, v128.load8x8_s(keys, 16), q);
      p3 = dot(p3, v128.load8x8_s(keys, 24), q);
      keys += 32;
    }
    const scale = v128.load32_splat(queryScales);
    sum0 = multiplyAdd(joinPairs(p0, p1), f32x4.mul(v128.load(scales), scale), sum0);
    sum1 = multiplyAdd(joinPairs(p2, p3), f32x4.mul(v128.load(scales, 16), scale), sum1);
    queryScales += 4;
    scales += 128;
  }
  v128.store(out, sum0);
  v128.store(out, sum1, 16);
}

/** The same for all heads of the group; their scores lie 128 bytes apart. */
function scoreHeadsNarrow(
  out: usize,
  query: usize,
  terms: usize,
  keys: usize,
  scales: usize,
  groupSize: i32,
  headDim: i32,
): void {
  for (let head = 0; head < groupSize; head++) {
    scoreNarrow(out, query, terms, keys, scales, headDim);
    out += 128;
    query += <usize>headDim;
    terms += termBytes(headDim);
  }
}

/** Eight int8 values → f32, the first four of them. */
function firstFour(v: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(v));
}

/** The last four of eight. */
function lastFour(v: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(v));
}

/** sums = sums · factor + weights · values for 8 dims of one head. `end`: one past the last weight, in bytes. */
function addOne(sums: usize, stats: usize, weights: usize, values: usize, stride: usize, end: usize): void {
  const factor = v128.load32_splat(stats, 8);
  let a0 = f32x4.mul(v128.load(sums), factor);
  let a1 = f32x4.mul(v128.load(sums, 16), factor);
  for (; weights < end; weights += 4) {
    const v = v128.load8x8_s(values);
    const p = v128.load32_splat(weights);
    a0 = multiplyAdd(firstFour(v), p, a0);
    a1 = multiplyAdd(lastFour(v), p, a1);
    values += stride;
  }
  v128.store(sums, a0);
  v128.store(sums, a1, 16);
}

/** The same for four heads, which share the work of widening values. */
function addFour(
  sums: usize,
  headBytes: usize,
  stats: usize,
  weights: usize,
  values: usize,
  stride: usize,
  end: usize,
): void {
  const sumsB = sums + headBytes;
  const sumsC = sumsB + headBytes;
  const sumsD = sumsC + headBytes;
  let factor = v128.load32_splat(stats, 8);
  let a0 = f32x4.mul(v128.load(sums), factor);
  let a1 = f32x4.mul(v128.load(sums, 16), factor);
  factor = v128.load32_splat(stats, 24);
  let b0 = f32x4.mul(v128.load(sumsB), factor);
  let b1 = f32x4.mul(v128.load(sumsB, 16), factor);
  factor = v128.load32_splat(stats, 40);
  let c0 = f32x4.mul(v128.load(sumsC), factor);
  let c1 = f32x4.mul(v128.load(sumsC, 16), factor);
  factor = v128.load32_splat(stats, 56);
  let d0 = f32x4.mul(v128.load(sumsD), factor);
  let d1 = f32x4.mul(v128.load(sumsD, 16), factor);
  for (; weights < end; weights += 4) {
    const v = v128.load8x8_s(values);
    const v0 = firstFour(v);
    const v1 = lastFour(v);
    let p = v128.load32_splat(weights);
    a0 = multiplyAdd(v0, p, a0);
    a1 = multiplyAdd(v1, p, a1);
    p = v128.load32_splat(weights, 128);
    b0 = multiplyAdd(v0, p, b0);
    b1 = multiplyAdd(v1, p, b1);
    p = v128.load32_splat(weights, 256);
    c0 = multiplyAdd(v0, p, c0);
    c1 = multiplyAdd(v1, p, c1);
    p = v128.load32_splat(weights, 384);
    d0 = multiplyAdd(v0, p, d0);
    d1 = multiplyAdd(v1, p, d1);
    values += stride;
  }
  v128.store(sums, a0);
  v128.store(sums, a1, 16);
  v128.store(sumsB, b0);
  v128.store(sumsB, b1, 16);
  v128.store(sumsC, c0);
  v128.store(sumsC, c1, 16);
  v128.store(sumsD, d0);
  v128.store(sumsD, d1, 16);
}

/** scaled = weights · scales, for the 32 places of a block and all heads. */
function scaleWeights(scaled: usize, weights: usize, scales: usize, groupSize: i32): void {
  for (let head = 0; head < groupSize; head++) {
    for (let at: usize = 0; at < 128; at += 16) {
      v128.store(scaled + at, f32x4.mul(v128.load(weights + at), v128.load(scales + at)));
    }
    scaled += 128;
    weights += 128;
  }
}

/** sums = sums · factor + weights · values of the places from…to, for all heads of the group. */
function addValues(
  sums: usize,
  stats: usize,
  weights: usize,
  scaled: usize,
  values: usize,
  groupSize: i32,
  headDim: i32,
  from: i32,
  to: i32,
): void {
  const scales = values + quantizedBytes(headDim);
  const stride = <usize>headDim;
  const headBytes = stride << 2;
  const first = (<usize>from) << 2;
  const last = (<usize>(to + 1)) << 2;
  for (let dim = 0; dim < headDim;) {
    if ((dim & 31) == 0) scaleWeights(scaled, weights, scales + ((<usize>(dim >> 5)) << 7), groupSize);
    const v = values + <usize>from * stride + <usize>dim;
    if (WIDE && dim + 16 <= headDim) {
      addWide(sums + ((<usize>dim) << 2), headBytes, stats, scaled + first, v, stride, scaled + last, groupSize);
      dim += 16;
      continue;
    }
    let head = 0;
    for (; head + 4 <= groupSize; head += 4) {
      const w = scaled + ((<usize>head) << 7);
      const s = sums + <usize>head * headBytes + ((<usize>dim) << 2);
      addFour(s, headBytes, stats + ((<usize>head) << 4), w + first, v, stride, w + last);
    }
    for (; head < groupSize; head++) {
      const w = scaled + ((<usize>head) << 7);
      const s = sums + <usize>head * headBytes + ((<usize>dim) << 2);
      addOne(s, stats + ((<usize>head) << 4), w + first, v, stride, w + last);
    }
    dim += 8;
  }
}

/**
 * ops.ts, Attention, over an int8 cache. All heads of the group pass over a block while it is in the first cache.
 * scratch, each for all heads: scores, later weights, f32 [32]; the same times the values' scales f32 [32]; sums
 * f32 [headDim]; stats f32 [4]: greatest score, sum of weights, factor of the block; the quantised query: its terms
 * (score-keys.ts), int8 [headDim].
 */
export function attentionQ8(
  out: usize,
  outStride: usize,
  query: usize,
  xStride: usize,
  cache: usize,
  blockBytes: usize,
  kvHead: i32,
  groupSize: i32,
  headDim: i32,
  blockTables: usize,
  tableStride: usize,
  sequences: usize,
  positions: usize,
  rowStart: i32,
  rowEnd: i32,
  window: i32,
  scale: f32,
  scratch: usize,
): void {
  const bytes = quantizedBytes(headDim);
  const half = bytes + scaleBytes(headDim);
  const headBytes = (<usize>headDim) << 2;
  const ownTerms = termBytes(headDim);
  const scaled = scratch + ((<usize>groupSize) << 7);
  const sums = scaled + ((<usize>groupSize) << 7);
  const stats = sums + <usize>groupSize * headBytes;
  const terms = stats + ((<usize>groupSize) << 4);
  const quantized = terms + <usize>groupSize * ownTerms;
  for (let row = rowStart; row < rowEnd; row++) {
    const table = blockTables + <usize>load<i32>(sequences + ((<usize>row) << 2)) * tableStride;
    const last = load<i32>(positions + ((<usize>row) << 2));
    const first = window > 0 ? max(0, last - window + 1) : 0;
    memory.fill(sums, 0, <usize>groupSize * headBytes);
    for (let head = 0; head < groupSize; head++) {
      const h = <usize>head;
      beginSoftmax(stats + (h << 4));
      const q = query + <usize>row * xStride + h * headBytes;
      quantizeQuery(quantized + h * <usize>headDim, terms + h * ownTerms, q, headDim, scale);
    }
    for (let block = first >> 5; block <= last >> 5; block++) {
      const id = <usize>load<i32>(table + ((<usize>block) << 2));
      const keys = cache + id * blockBytes + <usize>kvHead * half * 2;
      const from = max(0, first - (block << 5));
      const to = min(31, last - (block << 5));
      for (let part: usize = 0; part < 4; part++) {
        const scores = scratch + (part << 5);
        const own = keys + ((part * <usize>headDim) << 3);
        const scales = keys + bytes + (part << 5);
        if (WIDE) scoreHeads(scores, quantized, terms, own, scales, groupSize, headDim);
        else scoreHeadsNarrow(scores, quantized, terms, own, scales, groupSize, headDim);
      }
      for (let head = 0; head < groupSize; head++) {
        const own = stats + ((<usize>head) << 4);
        store<f32>(own, softmaxBlock(scratch + ((<usize>head) << 7), from, to, own), 8);
      }
      addValues(sums, stats, scratch, scaled, keys + half, groupSize, headDim, from, to);
    }
    const to = out + <usize>row * outStride;
    for (let head = 0; head < groupSize; head++) {
      const at = <usize>head * headBytes;
      finishSoftmax(to + at, sums + at, headDim, stats + ((<usize>head) << 4));
    }
  }
}
