import { AppError, present } from '../base/index.js';
import type { RowSource, WeightSpec } from '../model/index.js';
import {
  paddedColumns,
  packedVectorBytes,
  paddedRows,
  quants,
  repackers,
  ROWS_PER_GROUP,
  type QuantName,
} from '../weights/index.js';
import type { WeightSource } from './checkpoint.js';
import type { Batch } from './pack-batch.js';
import type { Packer, Slot } from './packer.js';
import { batchRows, readRows, sliceSources } from './read-rows.js';

/** The f32 of a vector, padded with zeros, as one piece. */
export async function* packVector(spec: WeightSpec, source: WeightSource): AsyncGenerator<Uint8Array> {
  const values = new Float32Array(packedVectorBytes(spec.rows) / 4);
  const staging = new Float32Array(spec.rows);
  await readRows(source.readFloats, spec.sources, { start: 0, width: 1, of: 1 }, 1, values, staging);
  yield new Uint8Array(values.buffer);
}

/**
 * The packed groups of a matrix, batch after batch, in the memory of `packer`, which serves one tensor at a time. A piece is
 * good until the next is asked for. Errors: those of reading and packing, the latter with the tensor's name.
 */
export async function* packMatrixRows(
  spec: WeightSpec,
  quant: QuantName,
  source: WeightSource,
  packer: Packer,
): AsyncGenerator<Uint8Array> {
  const stored = paddedColumns(spec.columns);
  const size = batchRows(spec.rows, paddedColumns(spec.sourceColumns));
  const { slots, staging } = packer;
  const read = batchReader(spec, quant, source, staging);
  const underWay: Promise<Uint8Array>[] = [];
  try {
    for (let first = 0, batch = 0; first < spec.rows; first += size, batch++) {
      if (underWay.length === slots.length) yield await present(underWay.shift(), 'a batch is under way');
      const slot = present(slots[batch % slots.length], 'a slot for each batch');
      const numRows = Math.min(size, paddedRows(spec.rows) - first);
      const out = slot.out.subarray(0, (numRows / ROWS_PER_GROUP) * quants[quant].groupBytes(stored));
      const rows = await read(sliceSources(spec.sources, first, numRows), numRows, slot);
      const packed = packer.pack({ quant, columns: stored, numRows, out, ...rows }).then((error) => {
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

/** Reads one batch of rows into the memory of `slot`. */
type ReadBatch = (slices: Iterable<RowSource>, numRows: number, slot: Slot) => Promise<Pick<Batch, 'rows' | 'blocks'>>;

/** As the file stores them where `quant` holds them without loss, else as floats. */
function batchReader(spec: WeightSpec, quant: QuantName, source: WeightSource, staging: Float32Array): ReadBatch {
  const { columns, columnStart, sourceColumns } = spec;
  const stored = paddedColumns(columns);
  const blocks = dtypeOf(spec, source);
  const repacker = repackers.get(blocks ?? '');
  const readRowBytes = source.readRowBytes;
  if (blocks !== undefined && repacker?.quant === quant && readRowBytes !== undefined) {
    const of = repacker.rowBytes(sourceColumns);
    const width = repacker.rowBytes(columns);
    const cells = { start: repacker.rowBytes(columnStart), width, of };
    const staged = new Uint8Array(staging.buffer);
    return async (slices, numRows, slot) => {
      const rows = new Uint8Array(slot.rows.buffer, 0, numRows * width);
      await readRows(
        (tensor, start, count, out: Uint8Array) => readRowBytes(tensor, start, out.subarray(0, count * of)),
        slices,
        cells,
        width,
        rows,
        staged,
      );
      return { rows, blocks };
    };
  }
  const cells = { start: columnStart, width: columns, of: sourceColumns };
  const readFloats = (tensor: string, start: number, count: number, out: Float32Array): Promise<void> =>
    source.readFloats(tensor, start * sourceColumns, count * sourceColumns, out);
  return async (slices, numRows, slot) => {
    const rows = slot.rows.subarray(0, numRows * stored);
    await readRows(readFloats, slices, cells, stored, rows, staging);
    return { rows };
  };
}

/** The type of all tensors that a matrix is made of, undefined when they differ. */
export function dtypeOf(spec: WeightSpec, source: WeightSource): string | undefined {
  const dtypes = new Set<string>();
  for (const { tensor } of spec.sources) {
    const dtype = tensor === null ? undefined : source.tensors.get(tensor)?.dtype;
    if (dtype !== undefined) dtypes.add(dtype);
  }
  const [only] = dtypes;
  return dtypes.size === 1 ? only : undefined;
}

/** The sizes of the largest batch of these matrices: floats of whole rows, bytes when packed. */
export function batchSizes(specs: readonly WeightSpec[], quantOf: (spec: WeightSpec) => QuantName): [number, number] {
  const matrices = specs.filter(({ kind }) => kind === 'matrix');
  const sizes = matrices.map((spec) => {
    const whole = paddedColumns(spec.sourceColumns);
    const rows = batchRows(spec.rows, whole);
    const groupBytes = quants[quantOf(spec)].groupBytes(paddedColumns(spec.columns));
    return { floats: rows * whole, bytes: (rows / ROWS_PER_GROUP) * groupBytes };
  });
  return [Math.max(0, ...sizes.map(({ floats }) => floats)), Math.max(0, ...sizes.map(({ bytes }) => bytes))];
}
