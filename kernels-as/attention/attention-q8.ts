import { addValues, hideUnseen, quantizeQuery, scaleWeights, score } from './attention-steps';
import { fetchAhead } from './fetch-ahead';
import { quantizedBytes, scaleBytes } from './kv-block';
import { softCap } from '../rows/soft-cap';
import {
  beginSoftmax,
  factorsBefore,
  factorsOfBlock,
  finishSoftmax,
  softmaxBlock,
  STATS_BYTES,
  TO_BASE_TWO,
} from './softmax';

/**
 * Queries (heads of rows) that pass over a block together, at most, unless one row has more heads: their sums and a
 * block's keys and values fit the first cache. kernel-interface.ts, attentionScratchBytes, counts on it.
 */
const TILE = 32;

/** Rows from `row` on, at most `most`, that belong to the same sequence. */
function rowsTogether(sequences: usize, row: i32, rowEnd: i32, most: i32): i32 {
  const sequence = load<i32>(sequences + ((<usize>row) << 2));
  let count = 1;
  while (count < most && row + count < rowEnd) {
    if (load<i32>(sequences + ((<usize>(row + count)) << 2)) != sequence) break;
    count++;
  }
  return count;
}

/**
 * Begins the queries of `rows` rows. range: i32 first and last token that any of them sees, then first and last of those
 * that all see.
 */
function beginQueries(
  bounds: usize,
  range: usize,
  queryScales: usize,
  quantized: usize,
  query: usize,
  xStride: usize,
  positions: usize,
  groupSize: i32,
  headDim: i32,
  rows: i32,
  window: i32,
  scale: f32,
): void {
  const headBytes = (<usize>headDim) << 2;
  const queryScaleBytes = scaleBytes(headDim) >> 2;
  let least = i32.MAX_VALUE;
  let greatest = 0;
  let leastFull = 0;
  let mostFull = i32.MAX_VALUE;
  for (let i = 0; i < rows * groupSize; i++) {
    const at = <usize>i;
    const row = <usize>(i / groupSize);
    const last = load<i32>(positions + (row << 2));
    const first = window > 0 ? max(0, last - window + 1) : 0;
    store<i32>(bounds + (at << 3), first);
    store<i32>(bounds + (at << 3), last, 4);
    least = min(least, first);
    greatest = max(greatest, last);
    leastFull = max(leastFull, first);
    mostFull = min(mostFull, last);
    const head = query + row * xStride + <usize>(i % groupSize) * headBytes;
    const four = at >> 2;
    const within = (at & 3) << 2;
    const scales = queryScales + four * queryScaleBytes + within;
    quantizeQuery(quantized + four * headBytes + within, scales, head, headDim, scale * TO_BASE_TWO);
  }
  store<i32>(range, least);
  store<i32>(range, greatest, 4);
  store<i32>(range, leastFull, 8);
  store<i32>(range, mostFull, 12);
}

/**
 * kernel-interface.ts, Attention, over an int8 cache. Rows of one sequence that follow each other pass over a block together, with
 * all their heads, while it is in the first cache; a query's arithmetic does not depend on those beside it.
 * scratch, each for all queries, in fours: scores, later weights, f32 [32]; the same as whole numbers, i16 [32], and
 * their units, f32; sums f32 [headDim]; stats (softmax.ts); bounds i32 [2]; then their range; for four queries together
 * their scales [ceil(headDim / 32)] { f32 [4], i32 [4] } and int8 [headDim / 4][4][4]; scales of a block, f32 [32]; what fetchAhead stores.
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
  cap: f32,
  sinks: usize,
  scratch: usize,
): void {
  const most = max(1, TILE / groupSize);
  const half = quantizedBytes(headDim) + scaleBytes(headDim);
  const headBytes = (<usize>headDim) << 2;
  const queryScaleBytes = scaleBytes(headDim) >> 2;
  const room = <usize>(max(TILE, groupSize) + 3) & ~3;
  const whole = scratch + (room << 7);
  const units = whole + (room << 6);
  const sums = units + (room << 2);
  const stats = sums + room * headBytes;
  const statsStride = room << 2;
  const bounds = stats + room * STATS_BYTES;
  const range = bounds + (room << 3);
  const queryScales = range + 16;
  const quantized = queryScales + (room >> 2) * queryScaleBytes;
  const seen = quantized + (room >> 2) * headBytes;
  const sink = seen + 128;
  for (let row = rowStart; row < rowEnd;) {
    const rows = rowsTogether(sequences, row, rowEnd, most);
    const table = blockTables + <usize>load<i32>(sequences + ((<usize>row) << 2)) * tableStride;
    const queries = rows * groupSize;
    memory.fill(scratch, 0, stats - scratch);
    const q = query + <usize>row * xStride;
    const at = positions + ((<usize>row) << 2);
    beginSoftmax(stats, statsStride, sinks, groupSize, queries);
    beginQueries(bounds, range, queryScales, quantized, q, xStride, at, groupSize, headDim, rows, window, scale);
    const least = load<i32>(range);
    const greatest = load<i32>(range, 4);
    const leastFull = load<i32>(range, 8);
    const mostFull = load<i32>(range, 12);
    const factors = factorsBefore(stats, statsStride);
    const ofBlock = factorsOfBlock(stats, statsStride);
    for (let block = least >> 5; block <= greatest >> 5; block++) {
      const start = block << 5;
      const isWhole = start >= leastFull && start + 31 <= mostFull;
      const id = <usize>load<i32>(table + ((<usize>block) << 2));
      const keys = cache + id * blockBytes + <usize>kvHead * half * 2;
      if (block < greatest >> 5) {
        const next = <usize>load<i32>(table + ((<usize>block) << 2), 4);
        fetchAhead(cache + next * blockBytes + <usize>kvHead * half * 2, half * 2, sink);
      }
      score(scratch, quantized, queryScales, keys, headDim, queries);
      if (cap > 0) softCap(scratch, queries << 5, cap * TO_BASE_TWO);
      if (!isWhole) hideUnseen(scratch, bounds, queries, start);
      // Nothing of `whole` is wanted yet.
      softmaxBlock(scratch, stats, statsStride, whole, queries);
      const from = max(0, least - start);
      const to = min(31, greatest - start);
      for (let dim = 0; dim < headDim; dim += 32) {
        const offset = <usize>dim;
        const count = min(32, headDim - dim);
        const scales = keys + half + quantizedBytes(headDim) + (offset << 2);
        const values = keys + half + (offset << 1);
        scaleWeights(whole, units, scratch, ofBlock, bounds, scales, seen, queries, start, isWhole);
        addValues(
          sums + (offset << 2),
          headBytes,
          factors,
          units,
          whole,
          values,
          (<usize>headDim) << 1,
          queries,
          from,
          to,
          count,
        );
      }
    }
    for (let i = 0; i < queries; i++) {
      const to = out + <usize>(row + i / groupSize) * outStride + <usize>(i % groupSize) * headBytes;
      finishSoftmax(to, sums + <usize>i * headBytes, headDim, stats + statsStride + ((<usize>i) << 2));
    }
    row += rows;
  }
}
