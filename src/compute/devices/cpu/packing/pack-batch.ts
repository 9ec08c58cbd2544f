import { assert, present, toErrorData, type ErrorData } from '../../../../base/index.js';
import { quants, repackers, ROWS_PER_GROUP, type QuantName, type RepackKernels } from '../../../../weights/index.js';

/** Columns of a batch that are packed as a matrix of their own: their start and their padded number. */
export interface BatchPanel {
  readonly start: number;
  readonly columns: number;
}

/**
 * Rows to pack, padded, and memory for the packed groups: those of the first panel, then those of the next. `rows`: f32
 * [numRows, columns], or with `blocks` the rows in the file's blocks of that type. Both lie in the packer's memory.
 */
export interface PackBatch {
  readonly quant: QuantName;
  readonly columns: number;
  readonly panels: readonly BatchPanel[];
  readonly numRows: number;
  readonly rows: Float32Array | Uint8Array;
  readonly blocks?: string;
  readonly out: Uint8Array;
}

/**
 * Packs into `out`; `kernels` repack blocks in the packer's memory. Errors are returned as data, since they may cross
 * threads.
 */
export function packBatch(batch: PackBatch, kernels?: RepackKernels): ErrorData | null {
  const { quant, panels, numRows, out } = batch;
  try {
    let at = 0;
    for (const panel of panels) {
      const packGroup = groupPacker(batch, panel, kernels);
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

function groupPacker(batch: PackBatch, panel: BatchPanel, kernels: RepackKernels | undefined): PackGroup {
  const { quant, columns, rows, blocks } = batch;
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
  const stride = repacker.rowBytes(columns);
  const first = rows.byteOffset + repacker.rowBytes(panel.start);
  const repack = present(kernels, 'blocks are packed where their kernels are').of(quant);
  return (row, out) => repack(first + row * stride, stride, panel.columns, out.byteOffset);
}

/** Cuts columns [start, start + wanted) of eight of `rows`, which are `width` wide: into `room`, or in place if that is all. */
function rowCutter(
  rows: Float32Array,
  width: number,
  start: number,
  wanted: number,
  room: Float32Array,
): (row: number) => Float32Array {
  if (wanted === width) return (row) => rows.subarray(row * width, (row + ROWS_PER_GROUP) * width);
  return (row) => {
    for (let i = 0; i < ROWS_PER_GROUP; i++) {
      const from = (row + i) * width + start;
      room.set(rows.subarray(from, from + wanted), i * wanted);
    }
    return room;
  };
}
