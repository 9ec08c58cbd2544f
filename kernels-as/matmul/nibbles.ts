import { ONE, ZERO } from '../constants';
import { beforeOf, biasOf, factorOf, finish, outputOffset, sumsOffset, strideOf } from './epilogue';
import { threeRows as threeNarrow } from './nibbles-narrow-3-rows';
import { fourRows as fourNarrow } from './nibbles-narrow-4-rows';
import * as portable from './nibbles-portable-1-2-rows';
import * as relaxed from './nibbles-relaxed-1-2-4-rows';
import { threeRows } from './nibbles-relaxed-3-rows';
import { blockBytes } from './nibble-block';
import { Q4, Q4m } from '../quant-tags';
import { multiplyTile } from '../tiles/tile';

/** Rows from which on unpacking weights first pays. */
const TILE_ROWS: i32 = NARROW ? 10 : 16;
/**
 * The same where the rows' activations take more than `LARGE` bytes, most of the first cache. A core that misses there
 * for activations no longer streams weights from memory, so that the fewer rows read them from there the better
 * (bench/log/kernels.md, 'Many rows').
 */
const LARGE_TILE_ROWS: i32 = 8;
const LARGE: i32 = 30_000;
/** Rows that take weights as they come from memory, before these are unpacked for the others. */
const FIRST_ROWS: i32 = NARROW ? 2 : 4;
/**
 * Blocks that rows take in turn: few enough to stay in the first cache, enough to be worth loading and storing sums. In
 * registers of 128 bits, where each block takes longer, 16 are 5 to 7 % faster than 8, elsewhere 8 than 16
 * (bench/log/kernels.md, 'Many rows').
 */
const RUN_BLOCKS: i32 = NARROW ? 16 : 8;

/**
 * x · weightsᵀ with four-bit weights, whose nibbles mean what Q says, and quantised rows (kernel-interface.ts, Matmul).
 */
function matmulNibbles<Q>(
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
  const groupBytes = (<usize>columns >> 5) * blockBytes<Q>();
  const tileRows = rows * columns > LARGE ? LARGE_TILE_ROWS : TILE_ROWS;
  let group = groupStart;
  for (; ASC_FEATURE_RELAXED_SIMD && rows >= tileRows && group + 2 <= groupEnd; group += 2) {
    const w = weights + <usize>group * groupBytes;
    multiplyGroup<Q>(out, outStride, x, xStride, w, columns, FIRST_ROWS, group, bias, epilogue);
    multiplyGroup<Q>(out, outStride, x, xStride, w + groupBytes, columns, FIRST_ROWS, group + 1, bias, epilogue);
    multiplyTile<Q>(
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
    );
  }
  for (; group < groupEnd; group++) {
    const w = weights + <usize>group * groupBytes;
    multiplyGroup<Q>(out, outStride, x, xStride, w, columns, rows, group, bias, epilogue);
  }
}

/**
 * One group for any number of rows; `out` is where row 0 starts. Where rows are too many for one fused op, all of them
 * take a few blocks before any takes the next, with the sums beside each row: so weights come from memory without a
 * stop.
 */
function multiplyGroup<Q>(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  w: usize,
  columns: i32,
  rows: i32,
  group: i32,
  bias: usize,
  epilogue: i32,
): void {
  const at = out + outputOffset(group, epilogue);
  const biases = biasOf(bias, group);
  if (ASC_FEATURE_RELAXED_SIMD) {
    const blocks = columns >> 5;
    const isOnePass = rows <= 4;
    const most = isOnePass ? blocks : RUN_BLOCKS;
    for (let block = 0; block < blocks; block += most) {
      const count = min(most, blocks - block);
      const isLast = block + count == blocks;
      const sumRows = x + sumsOffset(columns);
      relaxedRun<Q>(
        isLast ? at : sumRows,
        isLast ? outStride : xStride,
        x + ((<usize>block) << 5),
        xStride,
        x + <usize>columns + ((<usize>block) << 2),
        <usize>columns >> 3,
        count,
        w + <usize>block * blockBytes<Q>(),
        rows,
        block ? sumRows : ZERO,
        block ? xStride : 0,
        isLast ? biases : ZERO,
        isLast ? beforeOf(at, epilogue) : ZERO,
        isLast ? factorOf(at, group, epilogue) : ONE,
      );
    }
  } else {
    let to = at;
    let from = x;
    let left = rows;
    for (; left >= 2; left -= 2) {
      portable.twoRows<Q>(
        to,
        outStride,
        from,
        xStride,
        w,
        columns,
        biases,
        beforeOf(to, epilogue),
        factorOf(to, group, epilogue),
      );
      to += outStride << 1;
      from += xStride << 1;
    }
    if (left) portable.oneRow<Q>(to, from, w, columns, biases, beforeOf(to, epilogue), factorOf(to, group, epilogue));
  }
  finish(at, outStride, rows, group, epilogue);
}

/** `blocks` blocks of one group for any number of rows. */
function relaxedRun<Q>(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  offsets: usize,
  blocks: i32,
  w: usize,
  rows: i32,
  start: usize,
  startStride: usize,
  bias: usize,
  before: usize,
  factor: usize,
): void {
  const beforeStride = strideOf(before, out, outStride);
  const factorStride = strideOf(factor, out, outStride);
  let left = rows;
  // In registers of 128 bits three rows at once are the fastest, and four faster than three and one.
  for (const [$rows, $run, $while, $isLast] of [
    [4, 'relaxed.fourRows', '!NARROW && left >= 4', false],
    [3, 'threeNarrow', 'NARROW && (left == 3 || left >= 5)', false],
    [4, 'fourNarrow', 'NARROW && left == 4', true],
    [3, 'threeRows', '!NARROW && left == 3', true],
    [2, 'relaxed.twoRows', 'left >= 2', false],
  ]) {
    for (; $while; left -= $rows) {
      $run<Q>(
        out,
        outStride,
        x,
        xStride,
        scales,
        scales + offsets,
        blocks,
        w,
        start,
        startStride,
        bias,
        before,
        factor,
      );
      return; // if $isLast
      out += $rows * outStride;
      x += $rows * xStride;
      scales += $rows * xStride;
      start += $rows * startStride;
      before += $rows * beforeStride;
      factor += $rows * factorStride;
    }
  }
  if (left) relaxed.oneRow<Q>(out, x, scales, scales + offsets, blocks, w, start, bias, before, factor);
}

for (const $quant of ['Q4', 'Q4m']) {
  /** x · weightsᵀ with $quant weights and quantised rows (kernel-interface.ts, Matmul). */
  export function matmul$quant(
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
    matmulNibbles<$quant>(
      out,
      outStride,
      x,
      xStride,
      weights,
      columns,
      rows,
      groupStart,
      groupEnd,
      bias,
      epilogue,
      scratch,
    );
  }
}
