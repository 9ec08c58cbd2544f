import { embedFloat } from './embed-float';

/** Rows of an f32 table as f32. */
export function embedF32(
  out: usize,
  outStride: usize,
  table: usize,
  columns: i32,
  tokenIds: usize,
  rowStart: i32,
  rowEnd: i32,
  scale: f32,
): void {
  embedFloat<f32>(out, outStride, table, columns, tokenIds, rowStart, rowEnd, scale);
}
