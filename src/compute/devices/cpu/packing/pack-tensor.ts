import { AppError, assert, present } from '../../../../base/index.js';
import {
  paddedColumns,
  packedMatrixBytes,
  packedVectorBytes,
  paddedRows,
  quants,
  repackers,
  ROWS_PER_GROUP,
} from '../../../../weights/index.js';
import type { ModelRows, PlannedTensor, RowSlice, TakePacked, WeightLayout } from '../../../layout.js';
import type { PackBatch } from './pack-batch.js';
import { Handoff } from './handoff.js';
import { createPacker, type Packer, type Slot, type SpareMemory } from './packer.js';
import { batchRows, readRows } from './read-rows.js';

/** Packs all tensors, several batches at once: `WeightLayout.packAll` of the CPU. */
export async function packAll(
  layout: WeightLayout,
  tensors: readonly PlannedTensor[],
  source: ModelRows,
  take: TakePacked,
): Promise<void> {
  const asFloats = tensors.filter((tensor) => !isRepacked(tensor, source));
  const numWeights = asFloats.reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  const matrices = toMatrices(tensors);
  await using packer = await createPacker(numWeights, ...batchSizes(matrices));
  const packings = matrices.map((panels) => {
    const first = present(panels[0], 'a matrix has a panel');
    const vector: MatrixPacking = { produce: async () => {}, pieces: [packVector(first, layout, source)] };
    return { panels, ...(first.kind === 'vector' ? vector : packMatrixGroups(panels, layout, source, packer)) };
  });
  // Later matrices are read and packed while earlier ones are taken, as far ahead as the packer has memory.
  const producing = (async () => {
    for (const { produce } of packings) await produce();
  })();
  producing.catch(() => {});
  try {
    for (const { panels, pieces } of packings) {
      for (const [index, tensor] of panels.entries())
        await take(tensor, present(pieces[index], 'pieces of each panel'));
    }
    await producing;
  } finally {
    packer.slots.close(new Error('the packed tensors are not taken any more'));
    await producing.catch(() => {});
  }
}

/** The panels of each matrix together, which are adjacent; a vector alone. */
function toMatrices(tensors: readonly PlannedTensor[]): PlannedTensor[][] {
  const matrices: PlannedTensor[][] = [];
  for (const tensor of tensors) {
    if (tensor.columnStart === 0) matrices.push([tensor]);
    else present(matrices.at(-1), 'panels begin with the first').push(tensor);
  }
  return matrices;
}

/** The f32 of a vector, padded with zeros, as one piece. */
async function* packVector(vector: PlannedTensor, layout: WeightLayout, source: ModelRows): AsyncGenerator<Uint8Array> {
  const values = new Float32Array(packedVectorBytes(vector.rows) / 4);
  const staging = new Float32Array(vector.rows);
  const slices = layout.rows(vector, 0, vector.rows);
  await readRows((...rows) => source.readFloats(...rows), slices, 1, 1, values, staging);
  yield new Uint8Array(values.buffer);
}

/** A matrix on its way from the file to its consumer. */
interface MatrixPacking {
  /** Reads the rows and packs them, batch after batch. It waits for memory that `pieces` release. */
  readonly produce: () => Promise<void>;
  /** The pieces of each panel, to be taken in order. A piece is valid until the next is requested. */
  readonly pieces: readonly AsyncIterable<Uint8Array>[];
}

/**
 * The packed groups of a matrix, in the memory of `packer`. Rows are read once, so the parts of later `panels` wait in
 * memory: less than the packed matrix. Errors: those of reading and packing, the latter with the first panel's name.
 */
function packMatrixGroups(
  panels: readonly PlannedTensor[],
  layout: WeightLayout,
  source: ModelRows,
  packer: Packer,
): MatrixPacking {
  const spec = present(panels[0], 'a matrix has a panel');
  const { quant } = spec;
  const columns = paddedColumns(columnsOf(panels));
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
    const rows = await read(layout.rows(spec, first, numRows), numRows, slot);
    const packing = packer.pack({ quant, columns, panels: cuts, numRows, out, ...rows }).then((error) => {
      if (error === null) return out;
      throw new AppError(error.code, `${spec.name}: ${error.message}`, { ...error.details, tensor: spec.name });
    });
    // The promise may reject while the next rows are read, before a caller awaits it.
    packing.catch(() => {});
    return { packing, slot };
  };

  const produce = async (): Promise<void> => {
    const read = batchReader(panels, source, packer.staging);
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

/** The columns of a matrix in panels. */
function columnsOf(panels: readonly PlannedTensor[]): number {
  return panels.reduce((sum, { columns }) => sum + columns, 0);
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
  slices: readonly RowSlice[],
  numRows: number,
  slot: Slot,
) => Promise<Pick<PackBatch, 'rows' | 'blocks'>>;

/** In the file's blocks where the quant stores them without loss, otherwise as floats. */
function batchReader(panels: readonly PlannedTensor[], source: ModelRows, staging: Float32Array): ReadBatch {
  const columns = columnsOf(panels);
  const stored = paddedColumns(columns);
  const blocks = blocksOf(panels[0], source);
  const repacker = repackers.get(blocks ?? '');
  if (blocks !== undefined && repacker !== undefined) {
    const width = repacker.rowBytes(columns);
    const staged = new Uint8Array(staging.buffer);
    return async (slices, numRows, slot) => {
      const rows = new Uint8Array(slot.rows.buffer, slot.rows.byteOffset, numRows * width);
      await readRows((...part) => source.readBlocks(...part), slices, width, width, rows, staged);
      return { rows, blocks };
    };
  }
  return async (slices, numRows, slot) => {
    const rows = slot.rows.subarray(0, numRows * stored);
    await readRows((...part) => source.readFloats(...part), slices, columns, stored, rows, staging);
    return { rows };
  };
}

/** The type of the blocks of a matrix, where its quant stores them unchanged. */
function blocksOf(tensor: PlannedTensor | undefined, source: ModelRows): string | undefined {
  const [blocks = '', ...others] = new Set(tensor?.of.map((name) => source.blocksOf(name)));
  return others.length === 0 && repackers.get(blocks)?.quant === tensor?.quant ? blocks : undefined;
}

/** Whether the blocks of a matrix are repacked instead of converted from floats. */
function isRepacked(tensor: PlannedTensor, source: ModelRows): boolean {
  return tensor.kind === 'matrix' && blocksOf(tensor, source) !== undefined;
}

/** The sizes of the largest batch of these matrices, each in its panels: floats to pack, bytes when packed. */
function batchSizes(matrices: readonly (readonly PlannedTensor[])[]): [number, number] {
  const sizes = matrices.flatMap((panels) => {
    const [first] = panels;
    if (first === undefined || first.kind === 'vector') return [];
    const stored = paddedColumns(columnsOf(panels));
    const rows = batchRows(first.rows, stored);
    return { floats: rows * stored, bytes: (rows / ROWS_PER_GROUP) * quants[first.quant].groupBytes(stored) };
  });
  return [Math.max(0, ...sizes.map(({ floats }) => floats)), Math.max(0, ...sizes.map(({ bytes }) => bytes))];
}
