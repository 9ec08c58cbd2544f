import { AppError, present } from '../base/index.js';
import type { WeightSpec } from '../model/index.js';
import {
  paddedColumns,
  packedVectorBytes,
  paddedRows,
  quants,
  ROWS_PER_GROUP,
  type QuantName,
  type TensorSource,
} from '../weights/index.js';
import type { Packer } from './packer.js';
import { batchRows, readRows, sliceSources } from './read-rows.js';

/** The f32 of a vector, padded with zeros, as one piece. */
export async function* packVector(spec: WeightSpec, source: TensorSource): AsyncGenerator<Uint8Array> {
  const values = new Float32Array(packedVectorBytes(spec.rows) / 4);
  const staging = new Float32Array(spec.rows);
  await readRows(source, spec.sources, 1, 1, values, staging);
  yield new Uint8Array(values.buffer);
}

/**
 * The packed groups of a matrix, batch after batch. Never more than `packer.depth` batches are in memory; a piece is
 * good until the next is asked for. Errors: those of reading and packing, the latter with the tensor's name.
 */
export async function* packMatrixRows(
  spec: WeightSpec,
  quant: QuantName,
  source: TensorSource,
  packer: Packer,
): AsyncGenerator<Uint8Array> {
  const stored = paddedColumns(spec.columns);
  const size = batchRows(spec.rows, stored);
  const slots = Array.from({ length: packer.depth }, () => createSlot(size, stored, quant));
  const staging = new Float32Array(size * spec.columns);
  const underWay: Promise<Uint8Array>[] = [];
  try {
    for (let first = 0, batch = 0; first < spec.rows; first += size, batch++) {
      if (underWay.length === slots.length) yield await present(underWay.shift(), 'a batch is under way');
      const { rows, out } = present(slots[batch % slots.length], 'a slot for each batch');
      const numRows = Math.min(size, paddedRows(spec.rows) - first);
      await readRows(source, sliceSources(spec.sources, first, numRows), spec.columns, stored, rows, staging);
      const bytes = (numRows / ROWS_PER_GROUP) * quants[quant].groupBytes(stored);
      const packed = packer.pack({ quant, columns: stored, numRows, rows, out }).then((error) => {
        if (error === null) return out.subarray(0, bytes);
        throw new AppError(error.code, `${spec.name}: ${error.message}`, { ...error.details, tensor: spec.name });
      });
      // It may fail while the next rows are read, before anyone waits for it.
      packed.catch(() => {});
      underWay.push(packed);
    }
    while (underWay.length > 0) yield await present(underWay.shift(), 'a batch is under way');
  } finally {
    // Not to leave threads at work on memory that nobody holds any more.
    await Promise.allSettled(underWay);
  }
}

/** Shared memory, so that a packing thread works in it. */
function createSlot(rows: number, stored: number, quant: QuantName): { rows: Float32Array; out: Uint8Array } {
  const bytes = (rows / ROWS_PER_GROUP) * quants[quant].groupBytes(stored);
  return {
    rows: new Float32Array(new SharedArrayBuffer(rows * stored * 4)),
    out: new Uint8Array(new SharedArrayBuffer(bytes)),
  };
}
