import { beforeOf, biasOf, factorOf, finish, outputOffset } from './epilogue';
import * as portable from './matmul-q4-portable';
import * as relaxed from './matmul-q4-relaxed';
import { blockBytes } from './nibble-block';
import { multiplyTile } from './tile';

/** Rows from which on unpacking weights first pays. */
const TILE_ROWS: i32 = 8;

/** x · weightsᵀ with four-bit weights, whose nibbles mean what M says, and quantised rows (ops.ts, Matmul). */
export function matmulNibbles<M>(
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
  const groupBytes = (<usize>columns >> 5) * blockBytes<M>();
  let group = groupStart;
  for (; ASC_FEATURE_RELAXED_SIMD && rows >= TILE_ROWS && group + 2 <= groupEnd; group += 2) {
    const w = weights + <usize>group * groupBytes;
    multiplyTile<M>(
      out,
      outStride,
      x,
      xStride,
      w,
      columns,
      rows,
      group,
      bias,
      epilogue,
      scratch,
    );
  }
  for (; group < groupEnd; group++) {
    const w = weights + <usize>group * groupBytes;
    multiplyGroup<M>(out, outStride, x, xStride, w, columns, rows, group, bias, epilogue);
  }
}

/** One group for any number of rows; `out` is where row 0 starts. */
function multiplyGroup<M>(
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
  if (ASC_FEATURE_RELAXED_SIMD) {
    // Four rows have sixteen sums, which registers of 128 bits do not hold.
    for (; !NARROW && left >= 4; left -= 4) {
      relaxed.fourRows<M>(
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
    for (; left >= 2; left -= 2) {
      relaxed.twoRows<M>(
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
    if (left) relaxed.oneRow<M>(to, from, w, columns, biases, beforeOf(to, epilogue), factorOf(to, group, epilogue));
  } else {
    for (; left >= 2; left -= 2) {
      portable.twoRows<M>(
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
    if (left) portable.oneRow<M>(to, from, w, columns, biases, beforeOf(to, epilogue), factorOf(to, group, epilogue));
  }
  finish(at, outStride, rows, group, epilogue);
}
