import { alignUp } from '../base/index.js';

/** Rows that are packed together: the eight outputs that a kernel computes at once. */
export const ROWS_PER_GROUP = 8;

/** Columns of a quantisation block, and what columns are padded to. */
export const BLOCK_COLUMNS = 32;

/** `columns` as they are stored: a multiple of `BLOCK_COLUMNS`, the rest zeros. */
export function paddedColumns(columns: number): number {
  return alignUp(columns, BLOCK_COLUMNS);
}

/** `rows` as they are stored: a multiple of `ROWS_PER_GROUP`, the rest zeros. */
export function paddedRows(rows: number): number {
  return alignUp(rows, ROWS_PER_GROUP);
}
