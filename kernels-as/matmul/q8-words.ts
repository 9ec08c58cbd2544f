// q8 weights and quantised rows where no instruction multiplies whole bytes: both are widened to 16 bits.

import { ONE, ZERO } from '../constants';
import { beforeOf, biasOf, factorOf, finish, outputOffset, sumsOffset, strideOf } from './epilogue';
import { oneRow } from './q8-words-1-row';
import { twoRows } from './q8-words-2-rows';
import { fourRows, threeRows } from './q8-words-3-4-rows';
import { multiplyWideTile, PAIR_BYTES, WIDE_BYTES } from '../tiles/tile-words';
import { widenRows } from './widen';

/** Bytes of a block: int8, then eight f16 scales. */
const BLOCK_BYTES: usize = 272;
/** Rows from which on widening weights first pays; the scratch holds the widened activations of as many. */
const TILE_ROWS: i32 = 20;
/** Rows that take weights as they come from memory, before these are widened for the others. */
const FIRST_ROWS: i32 = 4;
/** Blocks that rows take in turn: few enough to stay in the first cache, enough to be worth loading and storing sums. */
const RUN_BLOCKS: i32 = 8;

/** x · weightsᵀ with q8 weights and quantised rows (kernel-interface.ts, Matmul). */
export function matmulWords(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  weights: usize,
  columns: i32,
  rows: i32,
  groupStart: i32,
  groupEnd: i32,
  bias: usize,
  epilogue: i32,
  scratch: usize,
): void {
  const blocks = columns >> 5;
  const groupBytes = <usize>blocks * BLOCK_BYTES;
  let group = groupStart;
  if (rows >= TILE_ROWS) {
    const words = scratch + <usize>blocks * WIDE_BYTES;
    const first = words + PAIR_BYTES;
    widenRows(first, x, xStride, blocks, FIRST_ROWS);
    for (; group + 2 <= groupEnd; group += 2) {
      const w = weights + <usize>group * groupBytes;
      multiplyGroup(out, outStride, x, xStride, first, w, columns, FIRST_ROWS, group, bias, epilogue);
      multiplyGroup(out, outStride, x, xStride, first, w + groupBytes, columns, FIRST_ROWS, group + 1, bias, epilogue);
      multiplyWideTile(
        out + FIRST_ROWS * outStride,
        outStride,
        x + FIRST_ROWS * xStride,
        xStride,
        w,
        columns,
        rows - FIRST_ROWS,
        group,
        bias,
        epilogue,
        scratch,
        words,
      );
    }
  }
  if (group == groupEnd) return;
  for (; rows > 0; rows -= TILE_ROWS) {
    const count = min(rows, TILE_ROWS);
    widenRows(scratch, x, xStride, blocks, count);
    for (let at = group; at < groupEnd; at++) {
      const w = weights + <usize>at * groupBytes;
      multiplyGroup(out, outStride, x, xStride, scratch, w, columns, count, at, bias, epilogue);
    }
    out += TILE_ROWS * outStride;
    x += TILE_ROWS * xStride;
  }
}

/**
 * One group for a few rows, whose activations lie widened at `words`; `out` is where row 0 starts. Five to seven rows need
 * a fused op too short for memory to keep up with in the next one: all of them take a few blocks before any takes the next,
 * with the sums beside each row, so that weights come from memory without a stop.
 */
function multiplyGroup(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  words: usize,
  w: usize,
  columns: i32,
  rows: i32,
  group: i32,
  bias: usize,
  epilogue: i32,
): void {
  const at = out + outputOffset(group, epilogue);
  const blocks = columns >> 5;
  const most = rows <= 4 || rows >= 8 ? blocks : RUN_BLOCKS;
  const sumRows = x + sumsOffset(columns);
  for (let block = 0; block < blocks; block += most) {
    const count = min(most, blocks - block);
    const isLast = block + count == blocks;
    multiplyRun(
      isLast ? at : sumRows,
      isLast ? outStride : xStride,
      words + ((<usize>block) << 6),
      (<usize>columns) << 1,
      x + <usize>columns + ((<usize>block) << 2),
      xStride,
      w + <usize>block * BLOCK_BYTES,
      count,
      rows,
      block ? sumRows : ZERO,
      block ? xStride : 0,
      isLast ? biasOf(bias, group) : ZERO,
      isLast ? beforeOf(at, epilogue) : ZERO,
      isLast ? factorOf(at, group, epilogue) : ONE,
    );
  }
  finish(at, outStride, rows, group, epilogue);
}

/** `blocks` blocks of one group for a few rows. */
function multiplyRun(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  scaleStride: usize,
  w: usize,
  blocks: i32,
  rows: i32,
  start: usize,
  startStride: usize,
  bias: usize,
  before: usize,
  factor: usize,
): void {
  const beforeStride = strideOf(before, out, outStride);
  const factorStride = strideOf(factor, out, outStride);
  for (; rows >= 4; rows -= 4) {
    fourRows(out, outStride, x, xStride, scales, scaleStride, w, blocks, start, startStride, bias, before, factor);
    out += outStride << 2;
    x += xStride << 2;
    scales += scaleStride << 2;
    start += startStride << 2;
    before += beforeStride << 2;
    factor += factorStride << 2;
  }
  if (rows == 3) {
    threeRows(out, outStride, x, xStride, scales, scaleStride, w, blocks, start, startStride, bias, before, factor);
  } else if (rows == 2) {
    twoRows(out, outStride, x, xStride, scales, scaleStride, w, blocks, start, startStride, bias, before, factor);
  } else if (rows) {
    oneRow(out, x, scales, w, blocks, start, bias, before, factor);
  }
}
