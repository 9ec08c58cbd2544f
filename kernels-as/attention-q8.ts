import { quantizedBytes, scaleBytes } from './kv-block';
import { blockScale, packBytes, quantize } from './quantize';
import { beginSoftmax, finishSoftmax, softmaxBlock } from './softmax';
import { multiplyAdd } from './vector';

/** Quantises one query head: int8 at `to`, one scale (times `scale`) for each 32 dims at `scales`. */
function quantizeQuery(to: usize, scales: usize, query: usize, headDim: i32, scale: f32): void {
  for (let dim = 0; dim < headDim; dim += 32) {
    const count = min(32, headDim - dim);
    const own = blockScale(query, count);
    store<f32>(scales, own * scale);
    scales += 4;
    for (let i = 0; i < count; i += 4) {
      store<i32>(to, packBytes(quantize(v128.load(query), own)));
      query += 16;
      to += 4;
    }
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
function scoreKeys(out: usize, query: usize, queryScales: usize, keys: usize, scales: usize, headDim: i32): void {
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

/** Adds weight · scale · value of the places from…to for the 16 dims at `values`, 8 with `narrow`. */
function addDims(
  sums: usize,
  weights: usize,
  values: usize,
  scales: usize,
  stride: usize,
  from: i32,
  to: i32,
  factor: f32,
  narrow: bool,
): void {
  const factors = f32x4.splat(factor);
  let a0 = f32x4.mul(v128.load(sums), factors);
  let a1 = f32x4.mul(v128.load(sums, 16), factors);
  let a2 = a0;
  let a3 = a0;
  if (!narrow) {
    a2 = f32x4.mul(v128.load(sums, 32), factors);
    a3 = f32x4.mul(v128.load(sums, 48), factors);
  }
  for (let place = from; place <= to; place++) {
    const at = (<usize>place) << 2;
    const p = f32x4.splat(load<f32>(weights + at) * load<f32>(scales + at));
    const v = values + <usize>place * stride;
    const low = v128.load8x8_s(v);
    a0 = multiplyAdd(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low)), p, a0);
    a1 = multiplyAdd(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low)), p, a1);
    if (narrow) continue;
    const high = v128.load8x8_s(v, 8);
    a2 = multiplyAdd(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(high)), p, a2);
    a3 = multiplyAdd(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(high)), p, a3);
  }
  v128.store(sums, a0);
  v128.store(sums, a1, 16);
  if (narrow) return;
  v128.store(sums, a2, 32);
  v128.store(sums, a3, 48);
}

/** sums = sums · factor + weights · values over the whole head. */
function addValues(sums: usize, weights: usize, values: usize, headDim: i32, from: i32, to: i32, factor: f32): void {
  const scales = values + quantizedBytes(headDim);
  const stride = <usize>headDim;
  for (let dim = 0; dim < headDim; dim += 16) {
    const at = <usize>dim;
    const own = scales + ((at >> 5) << 7);
    const narrow = headDim - dim < 16;
    addDims(sums + (at << 2), weights, values + at, own, stride, from, to, factor, narrow);
  }
}

/**
 * ops.ts, Attention, over an int8 cache. All heads of the group pass over a block while it is in the first cache.
 * scratch, per head: scores f32 [32] (first of all heads), sums f32 [headDim], stats f32 [2], then the quantised
 * query: scales f32 [ceil(headDim / 32)], int8 [headDim].
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
  const queryScaleBytes = scaleBytes(headDim) >> 5;
  const sums = scratch + ((<usize>groupSize) << 7);
  const stats = sums + <usize>groupSize * headBytes;
  const queryScales = stats + ((<usize>groupSize) << 3);
  const quantized = queryScales + <usize>groupSize * queryScaleBytes;
  for (let row = rowStart; row < rowEnd; row++) {
    const table = blockTables + <usize>load<i32>(sequences + ((<usize>row) << 2)) * tableStride;
    const last = load<i32>(positions + ((<usize>row) << 2));
    const first = window > 0 ? max(0, last - window + 1) : 0;
    memory.fill(sums, 0, <usize>groupSize * headBytes);
    for (let head = 0; head < groupSize; head++) {
      const h = <usize>head;
      beginSoftmax(stats + (h << 3));
      const q = query + <usize>row * xStride + h * headBytes;
      quantizeQuery(quantized + h * <usize>headDim, queryScales + h * queryScaleBytes, q, headDim, scale);
    }
    for (let block = first >> 5; block <= last >> 5; block++) {
      const id = <usize>load<i32>(table + ((<usize>block) << 2));
      const keys = cache + id * blockBytes + <usize>kvHead * half * 2;
      const from = max(0, first - (block << 5));
      const to = min(31, last - (block << 5));
      for (let head = 0; head < groupSize; head++) {
        const h = <usize>head;
        const scores = scratch + (h << 7);
        const q = quantized + h * <usize>headDim;
        const qs = queryScales + h * queryScaleBytes;
        for (let part: usize = 0; part < 4; part++) {
          const own = keys + bytes + (part << 5);
          scoreKeys(scores + (part << 5), q, qs, keys + ((part * <usize>headDim) << 3), own, headDim);
        }
        const factor = softmaxBlock(scores, from, to, stats + (h << 3));
        addValues(sums + h * headBytes, scores, keys + half, headDim, from, to, factor);
      }
    }
    const to = out + <usize>row * outStride;
    for (let head = 0; head < groupSize; head++) {
      const at = <usize>head * headBytes;
      finishSoftmax(to + at, sums + at, headDim, stats + ((<usize>head) << 3));
    }
  }
}
