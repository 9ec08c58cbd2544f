import { matmulFloat } from './float';

/** x · weightsᵀ with bf16 weights. */
export function matmulBf16(
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
  matmulFloat<u16>(out, outStride, x, xStride, weights, columns, rows, groupStart, groupEnd, bias, epilogue);
}
