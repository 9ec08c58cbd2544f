import { toManifest, type ModelSource } from '../artifact/index.js';
import { AppError, present } from '../base/index.js';
import { identityOf } from '../store/index.js';
import { listParts } from '../weights/index.js';
import { manifestHead, smallFiles } from './convert-checkpoint.js';
import { changedWhileRead } from './errors.js';
import type { OnNotice } from './notice.js';
import { listNotices, openConversion } from './open-conversion.js';
import { listTensors, packTensors } from './packing/pack-tensors.js';

/**
 * A GGUF file as a model that is packed directly into its compute memory at each load, without a copy on a disk.
 * Errors: those of `openConversion`.
 */
export async function openInMemory(file: string, onNotice?: OnNotice): Promise<ModelSource> {
  const parts = await listParts(file);
  const identity = await identityOf(parts);
  const conversion = await openConversion(file);
  try {
    const tokenizer = await conversion.tokenizer;
    for (const notice of listNotices(conversion, tokenizer)) onNotice?.(notice);
    const files = smallFiles(conversion, tokenizer);
    const tensors = listTensors(conversion);
    const listed = [...files].map(([path, { length }]) => ({ path, sizeBytes: length }));
    return {
      directory: file,
      manifest: toManifest(manifestHead(conversion, tokenizer), tensors, listed, []),
      async readFile(path) {
        const bytes = files.get(path);
        if (bytes !== undefined) return bytes;
        throw new AppError('artifact_not_found', `the model ${file} has no file ${path}`, { path });
      },
      async fill(placements, { signal, onProgress }) {
        const targets = new Map(placements.map(({ entry, target }) => [entry.name, target]));
        const totalBytes = placements.reduce((sum, { target }) => sum + target.length, 0);
        await packTensors(
          conversion,
          async ({ name }, pieces) => {
            const target = present(targets.get(name), `memory for tensor ${name}`);
            let at = 0;
            for await (const piece of pieces) {
              signal?.throwIfAborted();
              target.set(piece, at);
              at += piece.length;
            }
          },
          { totalBytes, onProgress },
        );
        if ((await identityOf(parts)) !== identity) throw changedWhileRead(file);
      },
      [Symbol.asyncDispose]: () => conversion[Symbol.asyncDispose](),
    };
  } catch (error) {
    await conversion[Symbol.asyncDispose]();
    throw error;
  }
}
