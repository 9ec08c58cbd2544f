import { AppError, assert, present } from '../../base/index.js';
import { rowSources, type RowSource, type WeightSpec } from '../../model/index.js';
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
import type { PackBatch } from './pack-batch.js';
import { Handoff } from './handoff.js';
import type { Packer, Slot, SpareMemory } from './packer.js';
import { batchRows, readRows } from './read-rows.js';

/** The f32 of a vector, padded with zeros, as one piece. */
export async function* packVector(spec: WeightSpec, source: WeightSource): AsyncGenerator<Uint8Array> {
  const values = new Float32Array(packedVectorBytes(spec.rows) / 4);
  const staging = new Float32Array(spec.rows);
  await readRows(source.readFloats, rowSources(spec, 0, spec.rows), 1, 1, values, staging);
  if (spec.offset !== 0 && source.hasOffsets !== true) {
    for (let row = 0; row < spec.rows; row++) values[row] = (values[row] as number) + spec.offset;
  }
  yield new Uint8Array(values.buffer);
}

/** A matrix on its way from the file to its consumer. */
export interface MatrixPacking {
  /** Reads the rows and packs them, batch after batch. It waits for memory that `pieces` release. */
  readonly produce: () => Promise<void>;
  /** The pieces of each panel, to be taken in order. A piece is valid until the next is requested. */
  readonly pieces: readonly AsyncIterable<Uint8Array>[];
}

/**
 * The packed groups of a matrix, in the memory of `packer`. Rows are read once, so the parts of later `panels` wait in
 * memory: less than the packed matrix. Errors: those of reading and packing, the latter with the first panel's name.
 */
export function packMatrixGroups(
  panels: readonly WeightSpec[],
  quant: QuantName,
  source: WeightSource,
  packer: Packer,
): MatrixPacking {
  const spec = present(panels[0], 'a matrix has a panel');
  const columns = paddedColumns(spec.sourceColumns);
  const cuts = panels.map((panel) => ({ start: panel.columnStart, columns: paddedColumns(panel.columns) }));
  const size = batchRows(spec.rows, columns);
  const batches = new Handoff<PackedBatch>();
  const later = new LaterPanels(
    panels.slice(1).map(({ rows, columns: width }) => packedMatrixBytes(quant, rows, width)),
    packer.spare,
  );

  const packBatch = async (first: number, slot: Slot, read: ReadBatch): Promise<PackedBatch> => {
    const numRows = Math.min(size, paddedRows(spec.rows) - first);
    const out = slot.out.subarray(0, (numRows / ROWS_PER_GROUP) * quants[quant].groupBytes(columns));
    const rows = await read(rowSources(spec, first, numRows), numRows, slot);
    const packing = packer.pack({ quant, columns, panels: cuts, numRows, out, ...rows }).then((error) => {
      if (error === null) return out;
      throw new AppError(error.code, `${spec.name}: ${error.message}`, { ...error.details, tensor: spec.name });
    });
    // The promise may reject while the next rows are read, before a caller awaits it.
    packing.catch(() => {});
    return { packing, slot };
  };

  const produce = async (): Promise<void> => {
    const read = batchReader(spec, quant, source, packer.staging);
    try {
      for (let first = 0; first < spec.rows; first += size) {
        batches.push(await packBatch(first, await packer.slots.take(), read));
      }
    } catch (error) {
      batches.fail(error);
      throw error;
    }
  };

  async function* takeFirst(): AsyncGenerator<Uint8Array> {
    for (let first = 0; first < spec.rows; first += size) {
      const { packing, slot } = await batches.take();
      const packed = await packing;
      const groups = packed.length / quants[quant].groupBytes(columns);
      let end = 0;
      for (const [index, cut] of cuts.entries()) {
        const start = end;
        end += groups * quants[quant].groupBytes(cut.columns);
        const piece = packed.subarray(start, end);
        if (index > 0) later.add(index - 1, piece);
        else yield piece;
      }
      packer.slots.giveBack(slot);
    }
  }

  return { produce, pieces: [takeFirst(), ...cuts.slice(1).map((_, index) => later.read(index))] };
}

/** Rows under packing, and their memory. */
interface PackedBatch {
  readonly packing: Promise<Uint8Array>;
  readonly slot: Slot;
}

/** Panels that wait for the writing of earlier ones, in spare memory of the packer. */
class LaterPanels {
  readonly #panels: { readonly start: number; readonly sizeBytes: number; filled: number }[] = [];
  readonly #totalBytes: number;
  readonly #spare: SpareMemory;

  constructor(sizes: readonly number[], spare: SpareMemory) {
    let end = 0;
    for (const sizeBytes of sizes) {
      this.#panels.push({ start: end, sizeBytes, filled: 0 });
      end += sizeBytes;
    }
    this.#totalBytes = end;
    this.#spare = spare;
  }

  add(index: number, piece: Uint8Array): void {
    const panel = present(this.#panels[index], 'a panel for each index');
    this.#spare.of(this.#totalBytes).set(piece, panel.start + panel.filled);
    panel.filled += piece.length;
  }

  async *read(index: number): AsyncGenerator<Uint8Array> {
    const { start, sizeBytes, filled } = present(this.#panels[index], 'a panel for each index');
    assert(filled === sizeBytes, 'a panel is read when all of it was packed');
    yield this.#spare.of(this.#totalBytes).subarray(start, start + sizeBytes);
  }
}

/** Reads one batch of rows into the memory of `slot`. */
type ReadBatch = (
  slices: readonly RowSource[],
  numRows: number,
  slot: Slot,
) => Promise<Pick<PackBatch, 'rows' | 'blocks'>>;

/** In the file's blocks where `quant` stores them without loss, otherwise as floats. */
function batchReader(spec: WeightSpec, quant: QuantName, source: WeightSource, staging: Float32Array): ReadBatch {
  const columns = spec.sourceColumns;
  const stored = paddedColumns(columns);
  const blocks = blocksOf(spec, quant, source);
  const repacker = repackers.get(blocks ?? '');
  const readRowBytes = source.readRowBytes;
  if (blocks !== undefined && repacker !== undefined && readRowBytes !== undefined) {
    const width = repacker.rowBytes(columns);
    const staged = new Uint8Array(staging.buffer);
    return async (slices, numRows, slot) => {
      const rows = new Uint8Array(slot.rows.buffer, slot.rows.byteOffset, numRows * width);
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

/** The block type of a matrix, where `quant` stores it unchanged. */
function blocksOf(spec: WeightSpec, quant: QuantName, source: WeightSource): string | undefined {
  const [blocks = '', ...others] = dtypesOf(spec, source);
  const isKept = others.length === 0 && repackers.get(blocks)?.quant === quant && source.readRowBytes !== undefined;
  return isKept ? blocks : undefined;
}

/** Whether the blocks of a matrix are repacked instead of converted from floats. */
export function isRepacked(spec: WeightSpec, quant: QuantName, source: WeightSource): boolean {
  return spec.kind === 'matrix' && blocksOf(spec, quant, source) !== undefined;
}

/** The types of a matrix's source tensors. */
export function dtypesOf(spec: WeightSpec, source: WeightSource): ReadonlySet<string> {
  return new Set(spec.sources.flatMap(({ tensor }) => source.tensors.get(tensor ?? '')?.dtype ?? []));
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
