import { beforeOf, biasOf, factorOf, finish, outputOffset, strideOf } from './epilogue';
import * as bytes from './matmul-q8-bytes';
import { fiveRows, threeRows } from './matmul-q8-bytes-odd';
import * as nibbles from './matmul-q8-nibbles';
import * as words from './matmul-q8-words';
import { fourRows as fourRowsOfWords, threeRows as threeRowsOfWords } from './matmul-q8-words-more';
import { multiplyTile } from './tile';
import { multiplyWords } from './tile-words';
import { widenRow } from './words';

/** Rows from which on unpacking weights first pays. */
const TILE_ROWS: i32 = 8;

/** Rows whose activations are widened together: few enough for the scratch. */
const WORD_ROWS: i32 = 16;

const WORDS: bool = !VNNI && (NARROW || !ASC_FEATURE_RELAXED_SIMD);

/** Bytes of a block: int8, then eight f16 scales. */
const BLOCK_BYTES: usize = 272;

/** x · weightsᵀ with q8 weights and quantised rows (ops.ts, Matmul). */
export function matmulQ8(
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
  const groupBytes = (<usize>columns >> 5) * BLOCK_BYTES;
  let group = groupStart;
  for (; VNNI && rows >= TILE_ROWS && group + 2 <= groupEnd; group += 2) {
    const w = weights + <usize>group * groupBytes;
    multiplyTile<i8>(out, outStride, x, xStride, w, columns, rows, group, bias, epilogue, scratch);
  }
  if (WORDS) {
    for (; rows >= TILE_ROWS && group + 2 <= groupEnd; group += 2) {
      const w = weights + <usize>group * groupBytes;
      multiplyWords(out, outStride, x, xStride, w, columns, rows, group, bias, epilogue, scratch);
    }
    const wordStride = (<usize>columns) << 1;
    for (; group < groupEnd && rows > 0; rows -= WORD_ROWS) {
      const count = min(rows, WORD_ROWS);
      for (let row = 0; row < count; row++) widenRow(scratch + <usize>row * wordStride, x + <usize>row * xStride, columns >> 5);
      for (let at = group; at < groupEnd; at++) {
        const w = weights + <usize>at * groupBytes;
        groupByWords(out, outStride, scratch, wordStride, x + <usize>columns, xStride, w, columns >> 5, count, at, bias, epilogue);
      }
      out += <usize>count * outStride;
      x += <usize>count * xStride;
    }
    return;
  }
  for (; group < groupEnd; group++) {
    const w = weights + <usize>group * groupBytes;
    multiplyGroup(out, outStride, x, xStride, w, columns, rows, group, bias, epilogue);
  }
}

/** One group for a few rows; `out` is where row 0 starts. */
function groupByWords(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  scales: usize,
  scaleStride: usize,
  w: usize,
  blocks: i32,
  rows: i32,
  group: i32,
  bias: usize,
  epilogue: i32,
): void {
  const at = out + outputOffset(group, epilogue);
  const biases = biasOf(bias, group);
  const before = beforeOf(at, epilogue);
  const factor = factorOf(at, group, epilogue);
  const beforeStride = strideOf(before, at, outStride);
  const factorStride = strideOf(factor, at, outStride);
  for (let row: usize = 0; row < <usize>rows;) {
    const left = <usize>rows - row;
    const to = at + row * outStride;
    const from = x + row * xStride;
    const scale = scales + row * scaleStride;
    const b = before + row * beforeStride;
    const f = factor + row * factorStride;
    if (left >= 4) {
      fourRowsOfWords(to, outStride, from, xStride, scale, scaleStride, w, blocks, biases, b, f);
      row += 4;
    } else if (left == 3) {
      threeRowsOfWords(to, outStride, from, xStride, scale, scaleStride, w, blocks, biases, b, f);
      row += 3;
    } else if (left == 2) {
      words.twoRows(to, outStride, from, xStride, scale, scaleStride, w, blocks, biases, b, f);
      row += 2;
    } else {
      words.oneRow(to, from, scale, w, blocks, biases, b, f);
      row += 1;
    }
  }
  finish(at, outStride, rows, group, epilogue);
}

/** One group for any number of rows; `out` is where row 0 starts. */
function multiplyGroup(
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
  let to = at;
  let from = x;
  let left = rows;
  if (VNNI) {
    if (left == 5) {
      fiveRows(to, outStride, from, xStride, w, columns, biases, beforeOf(to, epilogue), factorOf(to, group, epilogue));
      left = 0;
    }
    for (; left >= 4; left -= 4) {
      bytes.fourRows(
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
      to += outStride << 2;
      from += xStride << 2;
    }
    if (left == 3) {
      threeRows(
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
      left = 0;
    }
    for (; left >= 2; left -= 2) {
      bytes.twoRows(
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
    if (left) bytes.oneRow(to, from, w, columns, biases, beforeOf(to, epilogue), factorOf(to, group, epilogue));
  } else if (ASC_FEATURE_RELAXED_SIMD && !NARROW) {
    for (; left >= 4; left -= 4) {
      nibbles.fourRows(
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
      to += outStride << 2;
      from += xStride << 2;
    }
    for (; left > 0; left--) {
      nibbles.oneRow(to, from, w, columns, biases, beforeOf(to, epilogue), factorOf(to, group, epilogue));
      to += outStride;
      from += xStride;
    }
  }
  finish(at, outStride, rows, group, epilogue);
}
