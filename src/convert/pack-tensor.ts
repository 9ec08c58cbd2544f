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
 * The packed groups of a matrix, batch after batch, in the memory of `packer`, which serves one tensor at a time. A piece is
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
  const { slots, staging } = packer;
  const underWay: Promise<Uint8Array>[] = [];
  try {
    for (let first = 0, batch = 0; first < spec.rows; first += size, batch++) {
      if (underWay.length === slots.length) yield await present(underWay.shift(), 'a batch is under way');
      const slot = present(slots[batch % slots.length], 'a slot for each batch');
      const numRows = Math.min(size, paddedRows(spec.rows) - first);
      const rows = slot.rows.subarray(0, numRows * stored);
      const out = slot.out.subarray(0, (numRows / ROWS_PER_GROUP) * quants[quant].groupBytes(stored));
      await readRows(source, sliceSources(spec.sources, first, numRows), spec.columns, stored, rows, staging);
      const packed = packer.pack({ quant, columns: stored, numRows, rows, out }).then((error) => {
        if (error === null) return out;
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

/** The sizes of the largest batch of these matrices: floats to pack, bytes when packed. */
export function batchSizes(specs: readonly WeightSpec[], quantOf: (spec: WeightSpec) => QuantName): [number, number] {
  const matrices = specs.filter(({ kind }) => kind === 'matrix');
  const sizes = matrices.map((spec) => {
    const stored = paddedColumns(spec.columns);
    const rows = batchRows(spec.rows, stored);
    return { floats: rows * stored, bytes: (rows / ROWS_PER_GROUP) * quants[quantOf(spec)].groupBytes(stored) };
  });
  return [Math.max(0, ...sizes.map(({ floats }) => floats)), Math.max(0, ...sizes.map(({ bytes }) => bytes))];
}
