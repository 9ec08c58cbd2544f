import { beforeOf, biasOf, factorOf, finish, outputOffset } from './epilogue';
import * as bytes from './q8-bytes-1-2-4-rows';
import { fiveRows, threeRows } from './q8-bytes-3-5-rows';
import { matmulWords } from './q8-words';
import { multiplyTile } from '../tiles/tile';
import { Q8 } from '../quant-tags';

/** Rows from which on unpacking weights first pays. */
const TILE_ROWS: i32 = 8;

/** Bytes of a block: int8, then eight f16 scales. */
const BLOCK_BYTES: usize = 272;

/** x · weightsᵀ with q8 weights and quantised rows (kernel-interface.ts, Matmul). */
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
  if (!VNNI) {
    matmulWords(out, outStride, x, xStride, weights, columns, rows, groupStart, groupEnd, bias, epilogue, scratch);
    return;
  }
  const groupBytes = (<usize>columns >> 5) * BLOCK_BYTES;
  let group = groupStart;
  for (; rows >= TILE_ROWS && group + 2 <= groupEnd; group += 2) {
    const w = weights + <usize>group * groupBytes;
    multiplyTile<Q8>(out, outStride, x, xStride, w, columns, rows, group, bias, epilogue, scratch);
  }
  for (; group < groupEnd; group++) {
    const w = weights + <usize>group * groupBytes;
    multiplyGroup(out, outStride, x, xStride, w, columns, rows, group, bias, epilogue);
  }
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
    threeRows(to, outStride, from, xStride, w, columns, biases, beforeOf(to, epilogue), factorOf(to, group, epilogue));
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
  finish(at, outStride, rows, group, epilogue);
}
