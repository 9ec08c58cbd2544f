import { outputOffset } from './epilogue';
import * as portable from './matmul-q4-portable';
import * as relaxed from './matmul-q4-relaxed';

/** Bytes of a block: nibbles, then eight f16 scales. */
const BLOCK_BYTES: usize = 144;

/** x · weightsᵀ with q4 weights and quantised rows (ops.ts, Matmul). */
export function matmulQ4(
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
  const groupBytes = (<usize>columns >> 5) * BLOCK_BYTES;
  for (let group = groupStart; group < groupEnd; group++) {
    const w = weights + <usize>group * groupBytes;
    const biases = bias ? bias + ((<usize>group) << 5) : 0;
    let to = out + outputOffset(group, epilogue);
    let from = x;
    let left = rows;
    if (ASC_FEATURE_RELAXED_SIMD) {
      for (; left >= 4; left -= 4) {
        relaxed.fourRows(to, outStride, from, xStride, w, columns, biases, group, epilogue);
        to += outStride << 2;
        from += xStride << 2;
      }
      for (; left > 0; left--) {
        relaxed.oneRow(to, from, w, columns, biases, group, epilogue);
        to += outStride;
        from += xStride;
      }
    } else {
      for (; left >= 2; left -= 2) {
        portable.twoRows(to, outStride, from, xStride, w, columns, biases, group, epilogue);
        to += outStride << 1;
        from += xStride << 1;
      }
      if (left) portable.oneRow(to, from, w, columns, biases, group, epilogue);
    }
  }
}
