// The steps of attention-q8.ts over one block, each for all queries of a tile; their numbers lie as it says there.

import { NO_SCORES } from './constants';
import { quantizedBytes, scaleBytes } from './kv-block';
import { blockScale, divisor, packBytes, quantize } from './quantize';
import * as scoresOfBytes from './scores-bytes';
import * as scoresOfNibbles from './scores-nibbles';
import * as scoresOfWords from './scores-words';
import { hideScores, softmaxBlock } from './softmax';
import { sumIntegers } from './vector';
import * as weightedSum from './weighted-sum';

/**
 * Quantises one query head: four dims go to `to` and each 16 bytes on; for each 32 dims one scale (times `scale`) goes
 * to `scales` and each 32 bytes on, and 16 bytes behind it what 128 in every key adds too much.
 */
export function quantizeQuery(to: usize, scales: usize, query: usize, headDim: i32, scale: f32): void {
  for (let dim = 0; dim < headDim; dim += 32) {
    const count = min(32, headDim - dim);
    const own = blockScale(query, count);
    const by = divisor(own);
    let sum = i32x4.splat(0);
    for (let i = 0; i < count; i += 4) {
      const integers = quantize(v128.load(query), by);
      sum = i32x4.add(sum, integers);
      store<i32>(to, packBytes(integers));
      query += 16;
      to += 16;
    }
    store<f32>(scales, own * scale);
    store<i32>(scales, -128 * sumIntegers(sum), 16);
    scales += 32;
  }
}

/** Queries left over that are better taken one by one than as four; two where vectors are narrow. */
function isFew(left: i32): bool {
  return left == 1 || (NARROW && left == 2);
}

/** Scores of four queries in one group of dims. */
function scoreFour(
  out: usize,
  before: usize,
  query: usize,
  queryScales: usize,
  keys: usize,
  scales: usize,
  count: i32,
): void {
  if (VNNI) scoresOfBytes.fourQueries(out, before, query, queryScales, keys, scales, count);
  else if (ASC_FEATURE_RELAXED_SIMD) scoresOfNibbles.fourQueries(out, before, query, queryScales, keys, scales, count);
  else scoresOfWords.fourQueries(out, before, query, queryScales, keys, scales, count);
}

/** Scores of the first `left` of four queries in one group of dims. */
function scoreFew(
  out: usize,
  before: usize,
  query: usize,
  queryScales: usize,
  keys: usize,
  scales: usize,
  count: i32,
  left: i32,
): void {
  for (; left > 0; left--) {
    if (VNNI) scoresOfBytes.oneQuery(out, before, query, queryScales, keys, scales, count);
    else if (ASC_FEATURE_RELAXED_SIMD && !NARROW)
      scoresOfNibbles.oneQuery(out, before, query, queryScales, keys, scales, count);
    else scoresOfWords.oneQuery(out, before, query, queryScales, keys, scales, count);
    out += 128;
    before += 128;
    query += 4;
    queryScales += 4;
  }
}

/** Scores of all queries against the 32 keys of a block. */
export function score(out: usize, query: usize, queryScales: usize, keys: usize, headDim: i32, queries: i32): void {
  const scales = keys + quantizedBytes(headDim);
  const queryScaleBytes = scaleBytes(headDim) >> 2;
  for (let left = queries; left > 0; left -= 4) {
    for (let dim = 0; dim < headDim; dim += 32) {
      const group = <usize>dim >> 5;
      const q = query + ((<usize>dim) << 2);
      const qs = queryScales + (group << 5);
      const k = keys + ((<usize>dim) << 5);
      const ks = scales + (group << 7);
      const before = dim > 0 ? out : NO_SCORES;
      const count = min(32, headDim - dim);
      if (isFew(left)) scoreFew(out, before, q, qs, k, ks, count, left);
      else scoreFour(out, before, q, qs, k, ks, count);
    }
    out += 512;
    query += (<usize>headDim) << 2;
    queryScales += queryScaleBytes;
  }
}

/** Scores → weights of all queries. `bounds`: i32 first and last token that each sees; isWhole: all see all of the block. */
export function weigh(
  weights: usize,
  stats: usize,
  bounds: usize,
  pair: usize,
  queries: i32,
  start: i32,
  isWhole: bool,
): void {
  for (let i = 0; i < queries; i++) {
    let factor: f32 = 1;
    const from = load<i32>(bounds) - start;
    const to = load<i32>(bounds, 4) - start;
    if (isWhole) {
      factor = softmaxBlock(weights, stats, pair);
    } else if (from > 31 || to < 0) {
      memory.fill(weights, 0, 128);
    } else {
      hideScores(weights, from, to);
      factor = softmaxBlock(weights, stats, pair);
    }
    store<f32>(stats, factor, 8);
    weights += 128;
    stats += 16;
    bounds += 8;
  }
}

/** scaled = weights · scales of 32 values, for all queries; isWhole: all see all of the block. */
export function scaleWeights(scaled: usize, weights: usize, scales: usize, queries: i32, isWhole: bool): void {
  const end = scaled + ((<usize>queries) << 7);
  for (let to = scaled; to < end; to += 128) {
    for (let at: usize = 0; at < 128; at += 32) {
      const first = f32x4.mul(v128.load(weights + at), v128.load(scales + at));
      const second = f32x4.mul(v128.load(weights + at, 16), v128.load(scales + at, 16));
      v128.store(to + at, first);
      v128.store(to + at, second, 16);
    }
    weights += 128;
  }
  if (!isWhole) clearUnseen(scaled, weights - (end - scaled), end);
}

/** What weighs nothing becomes 0, whatever its scale was: it may be what another token left there. */
function clearUnseen(scaled: usize, weights: usize, end: usize): void {
  const zero = f32x4.splat(0);
  for (; scaled < end; scaled += 32) {
    const first = v128.and(v128.load(scaled), f32x4.gt(v128.load(weights), zero));
    const second = v128.and(v128.load(scaled, 16), f32x4.gt(v128.load(weights, 16), zero));
    v128.store(scaled, first);
    v128.store(scaled, second, 16);
    weights += 32;
  }
}

/**
 * sums = sums · factor + scaled · values of the places from…to, for all queries and up to 32 dims. values: V
 * [32][…], `rowBytes` from token to token.
 */
export function addValues<V>(
  sums: usize,
  headBytes: usize,
  stats: usize,
  scaled: usize,
  values: usize,
  rowBytes: usize,
  queries: i32,
  from: i32,
  to: i32,
  count: i32,
): void {
  const v = values + <usize>from * rowBytes;
  const first = (<usize>from) << 2;
  const end = (<usize>(to + 1)) << 2;
  for (let left = queries; left > 0; left -= 4) {
    if (isFew(left)) {
      for (let i = 0; i < left; i++) {
        const at = <usize>i;
        const w = scaled + (at << 7);
        weightedSum.oneQuery<V>(sums + at * headBytes, stats + (at << 4), w + first, w + end, v, rowBytes, count);
      }
    } else {
      weightedSum.fourQueries<V>(sums, headBytes, stats, scaled + first, scaled + end, v, rowBytes, count);
    }
    sums += headBytes << 2;
    stats += 64;
    scaled += 512;
  }
}
