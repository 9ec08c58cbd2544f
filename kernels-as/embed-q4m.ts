import { embedNibbles } from './embed-nibbles';

/** Rows of a q4m table as f32 (ops.ts, Embed). */
export function embedQ4m(
  out: usize,
  outStride: usize,
  table: usize,
  columns: i32,
  tokenIds: usize,
  rowStart: i32,
  rowEnd: i32,
  scale: f32,
): void {
  embedNibbles<f32>(out, outStride, table, columns, tokenIds, rowStart, rowEnd, scale);
}
