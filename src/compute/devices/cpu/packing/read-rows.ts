import { ROWS_PER_GROUP } from '../../../../weights/index.js';
import type { Cells, RowSlice } from '../../../layout.js';

/** Consecutive rows of one tensor, and the target of each stretch of them in the batch. */
interface Run {
  readonly tensor: string;
  readonly start: number;
  count: number;
  readonly pieces: { readonly row: number; readonly count: number }[];
}

/** Fills the front of `out` with `count` rows of a tensor from row `start` on. */
export type ReadTensorRows<T> = (tensor: string, start: number, count: number, out: T) => Promise<void>;

/**
 * Fills `rows` [count, stored] with rows of `width` cells, padding with zeros. Consecutive rows of one tensor are read
 * at once, even when rows of another lie between them, as gate and up do. `staging` holds one run.
 */
export async function readRows<T extends Cells<T>>(
  read: ReadTensorRows<T>,
  slices: readonly RowSlice[],
  width: number,
  stored: number,
  rows: T,
  staging: T,
): Promise<void> {
  const runs = toRuns(slices);
  const isWhole = width === stored;
  const covered = runs.reduce((sum, { count }) => sum + count, 0) * stored;
  // Most batches consist of whole rows and need no zeros.
  if (!isWhole || covered < rows.length) rows.fill(0);
  for (const { tensor, start, count, pieces } of runs) {
    const [only] = pieces;
    if (pieces.length === 1 && only !== undefined && isWhole) {
      await read(tensor, start, count, rows.subarray(only.row * stored));
      continue;
    }
    await read(tensor, start, count, staging);
    let from = 0;
    for (const { row, count: length } of pieces) {
      // Views cost more than the bytes of a short row, so there are as few as possible.
      const step = isWhole ? length : 1;
      for (let i = row; i < row + length; i += step, from += step * width) {
        rows.set(staging.subarray(from, from + step * width), i * stored);
      }
    }
  }
}

function toRuns(slices: readonly RowSlice[]): Run[] {
  const runs: Run[] = [];
  const latest = new Map<string, Run>();
  let row = 0;
  for (const { tensor, start, count } of slices) {
    if (tensor !== null) {
      const open = latest.get(tensor);
      if (open !== undefined && open.start + open.count === start) {
        open.count += count;
        open.pieces.push({ row, count });
      } else {
        const run: Run = { tensor, start, count, pieces: [{ row, count }] };
        runs.push(run);
        latest.set(tensor, run);
      }
    }
    row += count;
  }
  return runs;
}

/** Floats of a batch: 8 MiB, so that the reads of a fused matrix of two-byte weights are still of a megabyte. */
const BATCH_FLOATS = 2 * 1024 * 1024;

/** Rows of a batch: whole groups, at least one. `stored` is the padded number of columns. */
export function batchRows(rows: number, stored: number): number {
  const groups = Math.floor(BATCH_FLOATS / stored / ROWS_PER_GROUP);
  return Math.min(Math.max(1, groups), Math.ceil(rows / ROWS_PER_GROUP)) * ROWS_PER_GROUP;
}
