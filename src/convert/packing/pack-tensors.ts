import { TENSOR_ALIGNMENT, type NewTensor, type OnProgress, type TensorEntry } from '../../artifact/index.js';
import { alignUp } from '../../base/index.js';
import type { Conversion } from '../open-conversion.js';
import { createModelRows } from './model-rows.js';

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
  await layout.packAll(tensors, createModelRows(specs, checkpoint.tensors), async (tensor, pieces) => {
    const { name, kind, quant, rows, columns } = tensor;
    doneBytes = alignUp(doneBytes, TENSOR_ALIGNMENT);
    await take({ name, kind, quant, rows, columns }, counted(pieces));
  });
}
