// The steps of attention-q8.ts over one block, each for all queries of a tile; their numbers lie as it says there.

import { NO_SCORES } from '../constants';
import { quantizedBytes, scaleBytes } from './kv-block';
import { blockScale, divisor, packBytes, quantize } from '../rows/quantize';
import * as scoresOfBytes from './scores-bytes';
import * as scoresOfNibbles from './scores-nibbles';
import * as scoresOfWords from './scores-words';
import { hideScores } from './softmax';
import { sumIntegers } from '../vector';
import { oneQuery } from './weighted-sum-1-query';
import { fourQueries } from './weighted-sum-4-queries';
import { hideScales, wholeOfFour, wholeOfOne } from './whole-weights';

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

/** Hides from each query the scores of what it does not see. `bounds`: i32 first and last token that each sees. */
export function hideUnseen(scores: usize, bounds: usize, queries: i32, start: i32): void {
  for (let i = 0; i < queries; i++) {
    hideScores(scores, load<i32>(bounds) - start, load<i32>(bounds, 4) - start);
    scores += 128;
    bounds += 8;
  }
}

/**
 * Weights → whole numbers of all queries for the values of one group of dims, whose scales are given; what these count in,
 * times the block's factor, goes to `units`. seen: room for scales, f32 [32].
 */
export function scaleWeights(
  whole: usize,
  units: usize,
  weights: usize,
  factors: usize,
  bounds: usize,
  scales: usize,
  seen: usize,
  queries: i32,
  start: i32,
  isWhole: bool,
): void {
  let first = i32.MIN_VALUE;
  let last = first;
  for (let i = 0; i < queries;) {
    const isFour = isWhole && queries - i >= 4;
    if (isFour) {
      wholeOfFour(whole, units, weights, factors, scales);
    } else {
      // Rows that follow one another see one token more; their heads see the same.
      if (!isWhole && (load<i32>(bounds) != first || load<i32>(bounds, 4) != last)) {
        first = load<i32>(bounds);
        last = load<i32>(bounds, 4);
        hideScales(seen, scales, first - start, last - start);
      }
      wholeOfOne(whole, units, weights, factors, isWhole ? scales : seen);
    }
    const count = isFour ? 4 : 1;
    i += count;
    whole += (<usize>count) << 6;
    units += (<usize>count) << 2;
    weights += (<usize>count) << 7;
    factors += (<usize>count) << 2;
    bounds += (<usize>count) << 3;
  }
}

/**
 * sums = sums · factor + weights · values of the places from…to, for all queries and up to 32 dims. whole, units: what
 * scaleWeights made; values: int8 [16][…][2], `rowBytes` from pair to pair.
 */
export function addValues(
  sums: usize,
  headBytes: usize,
  factors: usize,
  units: usize,
  whole: usize,
  values: usize,
  rowBytes: usize,
  queries: i32,
  from: i32,
  to: i32,
  count: i32,
): void {
  // A pair holds a place of each half: what touches both halves is summed over all sixteen.
  const isHalf = from >> 4 == to >> 4;
  const pair = <usize>(isHalf ? from & 15 : 0);
  const v = values + pair * rowBytes;
  const first = pair << 2;
  const end = isHalf ? (<usize>(to & 15) + 1) << 2 : 64;
  for (let left = queries; left > 0; left -= 4) {
    if (isFew(left)) {
      for (let i = 0; i < left; i++) {
        const at = <usize>i;
        const w = whole + (at << 6);
        const number = at << 2;
        oneQuery(sums + at * headBytes, factors + number, units + number, w + first, w + end, v, rowBytes, count);
      }
    } else {
      fourQueries(sums, headBytes, factors, units, whole + first, whole + end, v, rowBytes, count);
    }
    sums += headBytes << 2;
    factors += 16;
    units += 16;
    whole += 256;
  }
}
