import { matmulFloat } from './float';

/** x · weightsᵀ with f32 weights. */
export function matmulF32(
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
  matmulFloat<f32>(out, outStride, x, xStride, weights, columns, rows, groupStart, groupEnd, bias, epilogue);
}
