import { matmulNibbles } from './nibbles';
import { Q4 } from '../quant-tags';

/** x · weightsᵀ with q4 weights and quantised rows (kernel-interface.ts, Matmul). */
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
  scratch: usize,
): void {
  matmulNibbles<Q4>(out, outStride, x, xStride, weights, columns, rows, groupStart, groupEnd, bias, epilogue, scratch);
}
