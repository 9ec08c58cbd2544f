import { assert, toErrorData, type ErrorData } from '../../base/index.js';
import { quants, repackers, ROWS_PER_GROUP, type QuantName } from '../../weights/index.js';
import type { Cells } from './read-rows.js';

/** Columns of a batch that are packed as a matrix of their own: where they begin, and how many they are, padded. */
export interface BatchPanel {
  readonly start: number;
  readonly columns: number;
}

/**
 * Rows to pack, padded, and memory for the packed groups: those of the first panel, then those of the next. `rows`: f32
 * [numRows, columns], or with `blocks` the rows as a GGUF file stores them in blocks of that type.
 */
export interface Batch {
  readonly quant: QuantName;
  readonly columns: number;
  readonly panels: readonly BatchPanel[];
  readonly numRows: number;
  readonly rows: Float32Array | Uint8Array;
  readonly blocks?: string;
  readonly out: Uint8Array;
}

/** Packs in place of `out`. Errors come back as data, for they may have to cross threads. */
export function packBatch(batch: Batch): ErrorData | null {
  const { quant, panels, numRows, out } = batch;
  try {
    let at = 0;
    for (const panel of panels) {
      const packGroup = groupPacker(batch, panel);
      const size = quants[quant].groupBytes(panel.columns);
      for (let row = 0; row < numRows; row += ROWS_PER_GROUP, at += size) packGroup(row, out.subarray(at, at + size));
    }
    return null;
  } catch (error) {
    return toErrorData(error);
  }
}

/** Packs the eight rows from `row` on. */
type PackGroup = (row: number, out: Uint8Array) => void;

function groupPacker({ quant, columns, rows, blocks }: Batch, panel: BatchPanel): PackGroup {
  if (rows instanceof Float32Array) {
    const eight = rowCutter(
      rows,
      columns,
      panel.start,
      panel.columns,
      new Float32Array(ROWS_PER_GROUP * panel.columns),
    );
    return (row, out) => quants[quant].packGroup(eight(row), panel.columns, out);
  }
  const repacker = repackers.get(blocks ?? '');
  assert(repacker?.quant === quant, `blocks of ${blocks} are stored as ${quant}`);
  const width = repacker.rowBytes(panel.columns);
  const room = new Uint8Array(ROWS_PER_GROUP * width);
  const eight = rowCutter(rows, repacker.rowBytes(columns), repacker.rowBytes(panel.start), width, room);
  return (row, out) => repacker.repackGroup(eight(row), panel.columns, out);
}

/** Cells [start, start + wanted) of eight of `rows`, which are `width` cells wide: in `room`, or where they are if that is all. */
function rowCutter<T extends Cells<T>>(
  rows: T,
  width: number,
  start: number,
  wanted: number,
  room: T,
): (row: number) => T {
  if (wanted === width) return (row) => rows.subarray(row * width, (row + ROWS_PER_GROUP) * width);
  return (row) => {
    for (let i = 0; i < ROWS_PER_GROUP; i++) {
      const from = (row + i) * width + start;
      room.set(rows.subarray(from, from + wanted), i * wanted);
    }
    return room;
  };
}
