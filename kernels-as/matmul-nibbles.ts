import { beforeOf, biasOf, factorOf, finish, finishRooms, outputOffset, roomOffset } from './epilogue';
import * as portable from './matmul-q4-portable';
import * as relaxed from './matmul-q4-relaxed';
import { blockBytes } from './nibble-block';

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
): void {
  const groupBytes = (<usize>columns >> 5) * blockBytes<M>();
  let group = groupStart;
  // Tiles of two groups, where one instruction is so fast that loading activations would take longer. The first four rows
  // take one group after the other: memory gives two streams at once half of what it gives one.
  for (; VNNI && rows >= 8 && group + 2 <= groupEnd; group += 2) {
    const w = weights + <usize>group * groupBytes;
    const next = w + groupBytes;
    multiplyGroup<M>(out, outStride, x, xStride, w, columns, 4, group, bias, epilogue);
    multiplyGroup<M>(out, outStride, x, xStride, next, columns, 4, group + 1, bias, epilogue);
    let done = 4;
    for (; done + 4 <= rows; done += 4) {
      const from = x + <usize>done * xStride;
      relaxed.fourByTwo<M>(from, xStride, w, groupBytes, columns);
      const to = out + <usize>done * outStride;
      finishRooms(to, outStride, from + roomOffset(columns), xStride, bias, group, epilogue);
    }
    const to = out + <usize>done * outStride;
    const from = x + <usize>done * xStride;
    multiplyGroup<M>(to, outStride, from, xStride, w, columns, rows - done, group, bias, epilogue);
    multiplyGroup<M>(to, outStride, from, xStride, next, columns, rows - done, group + 1, bias, epilogue);
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
