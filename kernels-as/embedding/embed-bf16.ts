import { embedFloat } from './embed-float';

/** Rows of an bf16 table as f32. */
export function embedBf16(
  out: usize,
  outStride: usize,
  table: usize,
  columns: i32,
  tokenIds: usize,
  rowStart: i32,
  rowEnd: i32,
  scale: f32,
): void {
  embedFloat<u16>(out, outStride, table, columns, tokenIds, rowStart, rowEnd, scale);
}
