import { TENSOR_ALIGNMENT, type NewTensor, type OnProgress, type TensorEntry } from '../../artifact/index.js';
import { alignUp, present } from '../../base/index.js';
import type { WeightSpec } from '../../model/index.js';
import { packedMatrixBytes, packedVectorBytes } from '../../weights/index.js';
import type { Conversion } from '../open-conversion.js';
import { createPacker } from './packer.js';
import { batchSizes, isRepacked, packMatrixGroups, packVector, type MatrixPacking } from './pack-tensor.js';

/** The tensors in an artifact's layout, each at the start of a page. */
export function listTensors({ specs, storedAs }: Pick<Conversion, 'specs' | 'storedAs'>): TensorEntry[] {
  let end = 0;
  return specs.map((spec) => {
    const { name, kind, rows, columns } = spec;
    const quant = storedAs(spec);
    const offset = alignUp(end, TENSOR_ALIGNMENT);
    const sizeBytes = kind === 'vector' ? packedVectorBytes(rows) : packedMatrixBytes(quant, rows, columns);
    end = offset + sizeBytes;
    return { name, kind, quant, rows, columns, offset, sizeBytes };
  });
}

/** Bytes of weights.bin. */
export function packedBytes(conversion: Pick<Conversion, 'specs' | 'storedAs'>): number {
  return listTensors(conversion).reduce((end, { offset, sizeBytes }) => Math.max(end, offset + sizeBytes), 0);
}

/** Takes a packed tensor. Its bytes come in `pieces`, each used before the next is requested. */
export type TakeTensor = (tensor: NewTensor, pieces: AsyncIterable<Uint8Array>) => Promise<void>;

/**
 * Packs all tensors of an open conversion, one after the other. `totalBytes`: those of `packedBytes`, for progress.
 * Errors: those of reading and packing weights, and those of `take`.
 */
export async function packTensors(
  { checkpoint, specs, storedAs }: Pick<Conversion, 'checkpoint' | 'specs' | 'storedAs'>,
  take: TakeTensor,
  { totalBytes, onProgress }: { readonly totalBytes: number; readonly onProgress?: OnProgress | undefined },
): Promise<void> {
  const { tensors } = checkpoint;
  const asFloats = specs.filter((spec) => !isRepacked(spec, storedAs(spec), tensors));
  const numWeights = asFloats.reduce((sum, spec) => sum + spec.rows * spec.columns, 0);
  await using packer = await createPacker(numWeights, ...batchSizes(specs, storedAs));
  let doneBytes = 0;
  const counted = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      yield piece;
      // The request for the next piece shows that this one was used.
      doneBytes += piece.length;
      onProgress?.({ phase: 'convert', doneBytes, totalBytes });
    }
  };
  onProgress?.({ phase: 'convert', doneBytes, totalBytes });
  const packings = toMatrices(specs).map((panels) => {
    const first = present(panels[0], 'a matrix has a panel');
    const quant = storedAs(first);
    const vector: MatrixPacking = { produce: async () => {}, pieces: [packVector(first, tensors)] };
    return { panels, quant, ...(first.kind === 'vector' ? vector : packMatrixGroups(panels, quant, tensors, packer)) };
  });
  // Later matrices are read and packed while earlier ones are taken, as far ahead as the packer has memory.
  const producing = (async () => {
    for (const { produce } of packings) await produce();
  })();
  producing.catch(() => {});
  try {
    for (const { panels, quant, pieces } of packings) {
      for (const [index, { name, kind, rows, columns }] of panels.entries()) {
        doneBytes = alignUp(doneBytes, TENSOR_ALIGNMENT);
        const its = counted(present(pieces[index], 'pieces of each panel'));
        await take({ name, kind, quant, rows, columns }, its);
      }
    }
    await producing;
  } finally {
    packer.slots.close(new Error('the packed tensors are not taken any more'));
    await producing.catch(() => {});
  }
}

/** The panels of each matrix together, which are adjacent; a vector alone. */
function toMatrices(specs: readonly WeightSpec[]): WeightSpec[][] {
  const matrices: WeightSpec[][] = [];
  for (const spec of specs) {
    if (spec.columnStart === 0) matrices.push([spec]);
    else present(matrices.at(-1), 'panels begin with the first').push(spec);
  }
  return matrices;
}
