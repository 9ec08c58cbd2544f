import { TENSOR_ALIGNMENT, type NewTensor, type OnProgress, type TensorEntry } from '../../artifact/index.js';
import { alignUp, present } from '../../base/index.js';
import type { PlannedTensor } from '../../compute/index.js';
import type { Conversion } from '../open-conversion.js';
import { createModelRows } from './model-rows.js';
import { createPacker } from './packer.js';
import { batchSizes, isRepacked, packMatrixGroups, packVector, type MatrixPacking } from './pack-tensor.js';

/** A model's weights in the layout of an artifact. */
export type LaidTensors = Pick<Conversion, 'layout' | 'tensors'>;

/** The tensors in weights.bin, each at the start of a page. */
export function listTensors({ layout, tensors }: LaidTensors): TensorEntry[] {
  let end = 0;
  return tensors.map((tensor) => {
    const { name, kind, quant, rows, columns } = tensor;
    const offset = alignUp(end, TENSOR_ALIGNMENT);
    const sizeBytes = layout.bytes(tensor);
    end = offset + sizeBytes;
    return { name, kind, quant, rows, columns, offset, sizeBytes };
  });
}

/** Bytes of weights.bin. */
export function packedBytes(laid: LaidTensors): number {
  return listTensors(laid).reduce((end, { offset, sizeBytes }) => Math.max(end, offset + sizeBytes), 0);
}

/** Takes a packed tensor. Its bytes come in `pieces`, each used before the next is requested. */
export type TakeTensor = (tensor: NewTensor, pieces: AsyncIterable<Uint8Array>) => Promise<void>;

/**
 * Packs all tensors of an open conversion, one after the other. `totalBytes`: those of `packedBytes`, for progress.
 * Errors: those of reading and packing weights, and those of `take`.
 */
export async function packTensors(
  { checkpoint, specs, layout, tensors }: Pick<Conversion, 'checkpoint' | 'specs' | 'layout' | 'tensors'>,
  take: TakeTensor,
  { totalBytes, onProgress }: { readonly totalBytes: number; readonly onProgress?: OnProgress | undefined },
): Promise<void> {
  const source = createModelRows(specs, checkpoint.tensors);
  const asFloats = tensors.filter((tensor) => !isRepacked(tensor, source));
  const numWeights = asFloats.reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  const matrices = toMatrices(tensors);
  await using packer = await createPacker(numWeights, ...batchSizes(matrices));
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
      for (const [index, { name, kind, quant, rows, columns }] of panels.entries()) {
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
function toMatrices(tensors: readonly PlannedTensor[]): PlannedTensor[][] {
  const matrices: PlannedTensor[][] = [];
  for (const tensor of tensors) {
    if (tensor.columnStart === 0) matrices.push([tensor]);
    else present(matrices.at(-1), 'panels begin with the first').push(tensor);
  }
  return matrices;
}
