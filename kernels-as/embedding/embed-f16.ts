import { embedFloat } from './embed-float';

/** Rows of an f16 table as f32. */
export function embedF16(
  out: usize,
  outStride: usize,
  table: usize,
  columns: i32,
  tokenIds: usize,
  rowStart: i32,
  rowEnd: i32,
  scale: f32,
): void {
  embedFloat<i16>(out, outStride, table, columns, tokenIds, rowStart, rowEnd, scale);
}
