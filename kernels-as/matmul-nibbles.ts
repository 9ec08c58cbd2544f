import { outputOffset } from './epilogue';
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
  for (let group = groupStart; group < groupEnd; group++) {
    const w = weights + <usize>group * groupBytes;
    const biases = bias ? bias + ((<usize>group) << 5) : 0;
    let to = out + outputOffset(group, epilogue);
    let from = x;
    let left = rows;
    if (ASC_FEATURE_RELAXED_SIMD) {
      for (; left >= 4; left -= 4) {
        relaxed.fourRows<M>(to, outStride, from, xStride, w, columns, biases, group, epilogue);
        to += outStride << 2;
        from += xStride << 2;
      }
      for (; left > 0; left--) {
        relaxed.oneRow<M>(to, from, w, columns, biases, group, epilogue);
        to += outStride;
        from += xStride;
      }
    } else {
      for (; left >= 2; left -= 2) {
        portable.twoRows<M>(to, outStride, from, xStride, w, columns, biases, group, epilogue);
        to += outStride << 1;
        from += xStride << 1;
      }
      if (left) portable.oneRow<M>(to, from, w, columns, biases, group, epilogue);
    }
  }
}
