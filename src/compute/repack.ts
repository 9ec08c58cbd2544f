import { alignUp, present } from '../base/index.js';
import type { PlannedTensor, WeightLayout } from './layout.js';

/** A model's weights in a layout; `bytes` gives those of a stored tensor, which begin at a multiple of four. */
export interface PackedWeights {
  readonly layout: WeightLayout;
  readonly tensors: readonly PlannedTensor[];
  readonly bytes: (name: string) => Uint8Array;
}

/** Floats of a batch: 4 MiB. */
const BATCH_FLOATS = 2 ** 20;
/** Batches begin at multiples of so many rows, as layouts want. */
const ROWS = 8;

/**
 * Fills the tensors of `to` with the weights of `from`, by way of floats: whole matrices of a graph, one at a time.
 * `beforeTensor` is awaited before each. Errors: `weight_overflow`, those of `beforeTensor`.
 */
export async function repack(
  from: PackedWeights,
  to: PackedWeights,
  beforeTensor: (index: number) => Promise<void>,
): Promise<void> {
  let latest = new Map<string, ModelMatrix>();
  for (const [index, tensor] of to.tensors.entries()) {
    await beforeTensor(index);
    // Panels of one matrix follow each other.
    latest = new Map(tensor.of.map((name) => [name, latest.get(name) ?? unpackMatrix(name, from)]));
    packTensor(tensor, latest, to);
  }
}

/** A tensor of the graph: f32 [rows, columns]. */
interface ModelMatrix {
  readonly columns: number;
  readonly values: Float32Array;
}

function unpackMatrix(name: string, { layout, tensors, bytes }: PackedWeights): ModelMatrix {
  const holders = tensors.filter(({ of }) => of.includes(name));
  const columns = holders.reduce((sum, holder) => sum + holder.columns, 0);
  let values = new Float32Array(0);
  for (const holder of holders) {
    if (values.length === 0) values = new Float32Array(rowsOf(name, holder, layout) * columns);
    for (const { first, count } of batchesOf(holder)) {
      const rows = new Float32Array(count * holder.columns);
      layout.unpack(holder, bytes(holder.name), first, rows);
      let row = 0;
      for (const slice of layout.rows(holder, first, count)) {
        if (slice.tensor === name) {
          const to = { values, columns, row: slice.start, column: holder.columnStart };
          copyColumns({ values: rows, columns: holder.columns, row, column: 0 }, to, slice.count, holder.columns);
        }
        row += slice.count;
      }
    }
  }
  return { columns, values };
}

/** The rows of `name`, a tensor of the graph that `holder` has. */
function rowsOf(name: string, holder: PlannedTensor, layout: WeightLayout): number {
  const slices = layout.rows(holder, 0, holder.rows).filter(({ tensor }) => tensor === name);
  return slices.reduce((sum, { count }) => sum + count, 0);
}

function packTensor(
  tensor: PlannedTensor,
  matrices: ReadonlyMap<string, ModelMatrix>,
  { layout, bytes }: PackedWeights,
): void {
  for (const { first, count } of batchesOf(tensor)) {
    const rows = new Float32Array(count * tensor.columns);
    let row = 0;
    for (const slice of layout.rows(tensor, first, count)) {
      if (slice.tensor !== null) {
        const matrix = present(matrices.get(slice.tensor), 'a tensor of the graph is unpacked');
        const to = { values: rows, columns: tensor.columns, row, column: 0 };
        copyColumns({ ...matrix, row: slice.start, column: tensor.columnStart }, to, slice.count, tensor.columns);
      }
      row += slice.count;
    }
    layout.pack(tensor, rows, first, bytes(tensor.name));
  }
}

/** A place in a matrix. */
interface Place extends ModelMatrix {
  readonly row: number;
  readonly column: number;
}

function copyColumns(from: Place, to: Place, rows: number, columns: number): void {
  for (let row = 0; row < rows; row++) {
    const start = (from.row + row) * from.columns + from.column;
    to.values.set(from.values.subarray(start, start + columns), (to.row + row) * to.columns + to.column);
  }
}

/** Ranges of a tensor's rows. */
function* batchesOf({ rows, columns }: PlannedTensor): Generator<{ readonly first: number; readonly count: number }> {
  const size = alignUp(Math.max(1, Math.floor(BATCH_FLOATS / columns)), ROWS);
  for (let first = 0; first < rows; first += size) yield { first, count: Math.min(size, rows - first) };
}
