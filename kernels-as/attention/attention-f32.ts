import { plainBytes } from './kv-block';
import {
  beginSoftmax,
  factorsBefore,
  factorsOfBlock,
  finishSoftmax,
  hideScores,
  softmaxBlock,
  STATS_BYTES,
  TO_BASE_TWO,
} from './softmax';
import { softCap } from '../rows/soft-cap';
import { multiplyAdd } from '../vector';

/** Scores of one query head against the 32 keys of a block: out f32 [32]. */
function scoreBlock(out: usize, query: usize, keys: usize, headDim: i32, scale: f32): void {
  const factor = f32x4.splat(scale);
  const stride = (<usize>headDim) << 5;
  for (let half = 0; half < 2; half++) {
    let k = keys + <usize>half * 2 * stride;
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    const end = query + ((<usize>headDim) << 2);
    for (let q = query; q < end; q += 4) {
      const v = v128.load32_splat(q);
      s0 = multiplyAdd(v128.load(k), v, s0);
      s1 = multiplyAdd(v128.load(k, 16), v, s1);
      s2 = multiplyAdd(v128.load(k + stride), v, s2);
      s3 = multiplyAdd(v128.load(k + stride, 16), v, s3);
      k += 32;
    }
    v128.store(out, f32x4.mul(s0, factor));
    v128.store(out, f32x4.mul(s1, factor), 16);
    v128.store(out, f32x4.mul(s2, factor), 32);
    v128.store(out, f32x4.mul(s3, factor), 48);
    out += 64;
  }
}

/** weights = weights · the factor that `factor` points to, f32 [32]. */
function applyFactor(weights: usize, factor: usize): void {
  const by = v128.load32_splat(factor);
  for (const end = weights + 128; weights < end; weights += 16) {
    v128.store(weights, f32x4.mul(v128.load(weights), by));
  }
}

/** sums = sums · the factor that `factor` points to + weights · values for the places from…to; 16 dims at once, then 8. */
function addValues(sums: usize, weights: usize, values: usize, headDim: i32, from: i32, to: i32, factor: usize): void {
  const factors = v128.load32_splat(factor);
  const stride = (<usize>headDim) << 2;
  const first = values + <usize>from * stride;
  const start = weights + ((<usize>from) << 2);
  const end = weights + ((<usize>to) << 2);
  let dim = 0;
  for (; dim + 16 <= headDim; dim += 16) {
    const at = (<usize>dim) << 2;
    let a0 = f32x4.mul(v128.load(sums + at), factors);
    let a1 = f32x4.mul(v128.load(sums + at, 16), factors);
    let a2 = f32x4.mul(v128.load(sums + at, 32), factors);
    let a3 = f32x4.mul(v128.load(sums + at, 48), factors);
    let v = first + at;
    for (let w = start; w <= end; w += 4) {
      const p = v128.load32_splat(w);
      a0 = multiplyAdd(v128.load(v), p, a0);
      a1 = multiplyAdd(v128.load(v, 16), p, a1);
      a2 = multiplyAdd(v128.load(v, 32), p, a2);
      a3 = multiplyAdd(v128.load(v, 48), p, a3);
      v += stride;
    }
    v128.store(sums + at, a0);
    v128.store(sums + at, a1, 16);
    v128.store(sums + at, a2, 32);
    v128.store(sums + at, a3, 48);
  }
  if (dim < headDim) {
    const at = (<usize>dim) << 2;
    let a0 = f32x4.mul(v128.load(sums + at), factors);
    let a1 = f32x4.mul(v128.load(sums + at, 16), factors);
    let v = first + at;
    for (let w = start; w <= end; w += 4) {
      const p = v128.load32_splat(w);
      a0 = multiplyAdd(v128.load(v), p, a0);
      a1 = multiplyAdd(v128.load(v, 16), p, a1);
      v += stride;
    }
    v128.store(sums + at, a0);
    v128.store(sums + at, a1, 16);
  }
}

/**
 * kernel-interface.ts, Attention, over a float32 cache. All heads of the group pass over a block while it is in the first cache.
 * scratch, per head, in fours: scores f32 [32]; sums f32 [headDim]; stats (softmax.ts); then what softmaxBlock needs.
 */
export function attentionF32(
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
  cap: f32,
  sinks: usize,
  scratch: usize,
): void {
  const half = plainBytes(headDim);
  const headBytes = (<usize>headDim) << 2;
  const room = <usize>(groupSize + 3) & ~3;
  const sums = scratch + (room << 7);
  const stats = sums + room * headBytes;
  const statsStride = room << 2;
  const partial = stats + room * STATS_BYTES;
  const factors = factorsBefore(stats, statsStride);
  const ofBlock = factorsOfBlock(stats, statsStride);
  for (let row = rowStart; row < rowEnd; row++) {
    const table = blockTables + <usize>load<i32>(sequences + ((<usize>row) << 2)) * tableStride;
    const last = load<i32>(positions + ((<usize>row) << 2));
    const first = window > 0 ? max(0, last - window + 1) : 0;
    const q = query + <usize>row * xStride;
    memory.fill(sums, 0, <usize>groupSize * headBytes);
    beginSoftmax(stats, statsStride, sinks, groupSize, groupSize);
    for (let block = first >> 5; block <= last >> 5; block++) {
      const id = <usize>load<i32>(table + ((<usize>block) << 2));
      const keys = cache + id * blockBytes + <usize>kvHead * half * 2;
      const from = max(0, first - (block << 5));
      const to = min(31, last - (block << 5));
      for (let head = 0; head < groupSize; head++) {
        const scores = scratch + ((<usize>head) << 7);
        scoreBlock(scores, q + <usize>head * headBytes, keys, headDim, scale * TO_BASE_TWO);
        if (cap > 0) softCap(scores, 32, cap * TO_BASE_TWO);
        if (to - from < 31) hideScores(scores, from, to);
      }
      softmaxBlock(scratch, stats, statsStride, partial, groupSize);
      for (let head = 0; head < groupSize; head++) {
        const weights = scratch + ((<usize>head) << 7);
        const number = (<usize>head) << 2;
        applyFactor(weights, ofBlock + number);
        addValues(sums + <usize>head * headBytes, weights, keys + half, headDim, from, to, factors + number);
      }
    }
    const to = out + <usize>row * outStride;
    for (let head = 0; head < groupSize; head++) {
      const at = <usize>head * headBytes;
      finishSoftmax(to + at, sums + at, headDim, stats + statsStride + ((<usize>head) << 2));
    }
  }
}
