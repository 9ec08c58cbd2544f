import { AppError, assert, present } from '../../base/index.js';
import type { RowSource, WeightSpec } from '../../model/index.js';
import {
  paddedColumns,
  packedMatrixBytes,
  packedVectorBytes,
  paddedRows,
  quants,
  repackers,
  ROWS_PER_GROUP,
  type QuantName,
} from '../../weights/index.js';
import type { WeightSource } from '../checkpoint.js';
import type { Batch } from './pack-batch.js';
import type { Packer, Slot } from './packer.js';
import { batchRows, readRows, sliceSources } from './read-rows.js';

/** The f32 of a vector, padded with zeros, as one piece. */
export async function* packVector(spec: WeightSpec, source: WeightSource): AsyncGenerator<Uint8Array> {
  const values = new Float32Array(packedVectorBytes(spec.rows) / 4);
  const staging = new Float32Array(spec.rows);
  await readRows(source.readFloats, spec.sources, 1, 1, values, staging);
  yield new Uint8Array(values.buffer);
}

/**
 * The packed groups of a matrix, batch after batch, in the memory of `packer`, which serves one matrix at a time: for each
 * of its `panels` the pieces, to be taken in their order. Rows are read once, so that what later panels have of them waits in
 * memory: less than the matrix takes when packed. A piece is good until the next is asked for. Errors: those of reading
 * and packing, the latter with the first panel's name.
 */
export function packPanels(
  panels: readonly WeightSpec[],
  quant: QuantName,
  source: WeightSource,
  packer: Packer,
): AsyncIterable<Uint8Array>[] {
  const later = panels.slice(1).map(({ rows, columns }) => new Kept(packedMatrixBytes(quant, rows, columns)));
  return [packFirst(panels, quant, source, packer, later), ...later.map((kept) => kept.read())];
}

/** A panel that waits until those before it are written. */
class Kept {
  readonly #bytes: Uint8Array;
  #filled = 0;

  constructor(sizeBytes: number) {
    this.#bytes = new Uint8Array(sizeBytes);
  }

  add(piece: Uint8Array): void {
    this.#bytes.set(piece, this.#filled);
    this.#filled += piece.length;
  }

  async *read(): AsyncGenerator<Uint8Array> {
    assert(this.#filled === this.#bytes.length, 'a panel is read when all of it was packed');
    yield this.#bytes;
  }
}

/** The pieces of the first panel; `later` gets those of the others. */
async function* packFirst(
  panels: readonly WeightSpec[],
  quant: QuantName,
  source: WeightSource,
  packer: Packer,
  later: readonly Kept[],
): AsyncGenerator<Uint8Array> {
  const spec = present(panels[0], 'a matrix has a panel');
  const columns = paddedColumns(spec.sourceColumns);
  const cuts = panels.map((panel) => ({ start: panel.columnStart, columns: paddedColumns(panel.columns) }));
  const size = batchRows(spec.rows, columns);
  const { slots, staging } = packer;
  const read = batchReader(spec, quant, source, staging);
  const underWay: Promise<Uint8Array>[] = [];
  /** Of a packed batch what the first panel has; the rest is kept. */
  const split = (packed: Uint8Array): Uint8Array => {
    const groups = packed.length / quants[quant].groupBytes(columns);
    let end = 0;
    const [piece, ...rest] = cuts.map((cut) => {
      const start = end;
      end += groups * quants[quant].groupBytes(cut.columns);
      return packed.subarray(start, end);
    });
    for (const [index, kept] of later.entries()) kept.add(present(rest[index], 'a piece of each panel'));
    return present(piece, 'a matrix has a panel');
  };
  try {
    for (let first = 0, batch = 0; first < spec.rows; first += size, batch++) {
      if (underWay.length === slots.length) yield split(await present(underWay.shift(), 'a batch is under way'));
      const slot = present(slots[batch % slots.length], 'a slot for each batch');
      const numRows = Math.min(size, paddedRows(spec.rows) - first);
      const out = slot.out.subarray(0, (numRows / ROWS_PER_GROUP) * quants[quant].groupBytes(columns));
      const rows = await read(sliceSources(spec.sources, first, numRows), numRows, slot);
      const packed = packer.pack({ quant, columns, panels: cuts, numRows, out, ...rows }).then((error) => {
        if (error === null) return out;
        throw new AppError(error.code, `${spec.name}: ${error.message}`, { ...error.details, tensor: spec.name });
      });
      // It may fail while the next rows are read, before anyone waits for it.
      packed.catch(() => {});
      underWay.push(packed);
    }
    while (underWay.length > 0) yield split(await present(underWay.shift(), 'a batch is under way'));
  } finally {
    // Not to leave threads at work on memory that nobody holds any more.
    await Promise.allSettled(underWay);
  }
}

/** Reads one batch of rows into the memory of `slot`. */
type ReadBatch = (slices: Iterable<RowSource>, numRows: number, slot: Slot) => Promise<Pick<Batch, 'rows' | 'blocks'>>;

/** As the file stores them where `quant` holds them without loss, else as floats. */
function batchReader(spec: WeightSpec, quant: QuantName, source: WeightSource, staging: Float32Array): ReadBatch {
  const columns = spec.sourceColumns;
  const stored = paddedColumns(columns);
  const blocks = dtypeOf(spec, source);
  const repacker = repackers.get(blocks ?? '');
  const readRowBytes = source.readRowBytes;
  if (blocks !== undefined && repacker?.quant === quant && readRowBytes !== undefined) {
    const width = repacker.rowBytes(columns);
    const staged = new Uint8Array(staging.buffer);
    return async (slices, numRows, slot) => {
      const rows = new Uint8Array(slot.rows.buffer, 0, numRows * width);
      await readRows(
        (tensor, start, count, out: Uint8Array) => readRowBytes(tensor, start, out.subarray(0, count * width)),
        slices,
        width,
        width,
        rows,
        staged,
      );
      return { rows, blocks };
    };
  }
  return async (slices, numRows, slot) => {
    const rows = slot.rows.subarray(0, numRows * stored);
    await readRows(
      (tensor, start, count, out: Float32Array) => source.readFloats(tensor, start * columns, count * columns, out),
      slices,
      columns,
      stored,
      rows,
      staging,
    );
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

/** The sizes of the largest batch of these matrices: floats to pack, bytes when packed. */
export function batchSizes(specs: readonly WeightSpec[], quantOf: (spec: WeightSpec) => QuantName): [number, number] {
  const matrices = specs.filter(({ kind }) => kind === 'matrix');
  const sizes = matrices.map((spec) => {
    const stored = paddedColumns(spec.sourceColumns);
    const rows = batchRows(spec.rows, stored);
    return { floats: rows * stored, bytes: (rows / ROWS_PER_GROUP) * quants[quantOf(spec)].groupBytes(stored) };
  });
  return [Math.max(0, ...sizes.map(({ floats }) => floats)), Math.max(0, ...sizes.map(({ bytes }) => bytes))];
}
