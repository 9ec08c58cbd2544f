import { embedNibbles } from './embed-nibbles';
import { Q4m } from '../quant-tags';

/** Rows of a q4m table as f32 (kernel-interface.ts, Embed). */
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
  embedNibbles<Q4m>(out, outStride, table, columns, tokenIds, rowStart, rowEnd, scale);
}
