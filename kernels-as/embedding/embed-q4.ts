import { embedNibbles } from './embed-nibbles';
import { Q4 } from '../quant-tags';

/** Rows of a q4 table as f32 (kernel-interface.ts, Embed). */
export function embedQ4(
  out: usize,
  outStride: usize,
  table: usize,
  columns: i32,
  tokenIds: usize,
  rowStart: i32,
  rowEnd: i32,
  scale: f32,
): void {
  embedNibbles<Q4>(out, outStride, table, columns, tokenIds, rowStart, rowEnd, scale);
}
