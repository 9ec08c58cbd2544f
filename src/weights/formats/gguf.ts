import { stat } from 'node:fs/promises';
import { AppError, assert, present } from '../../base/index.js';
import { blockDecoders, type DecodeBlock } from '../gguf/block-decoders/index.js';
import type { HeaderTensor } from '../gguf/header.js';
import type { Metadata } from '../gguf/metadata.js';
import type { OpenFile } from '../gguf/open-file.js';
import { openParts } from '../gguf/open-parts.js';
import { readExactly } from '../read-exactly.js';
import type { BeforeRead, ReadableFile } from '../readable-file.js';
import { checkFinite, plainFloatBytes, readPlainFloats } from '../read-floats.js';
import type { TensorFormat, TensorSource } from './format.js';

/** Blocks that are decoded at once: some tens of KB of the file. */
const PIECE_BLOCKS = 2048;

/** An open GGUF model: its tensors, and the metadata of its first file. */
export interface GgufSource extends TensorSource {
  readonly metadata: Metadata;
  /**
   * Fills `out` with stored bytes of a tensor from its byte `start` on.
   * Errors: `tensor_not_found`, `checkpoint_invalid` (the file shrank).
   */
  readBytes(name: string, start: number, out: Uint8Array): Promise<void>;
}

/** GGUF: one file with everything in it, or several parts of one. Tensors are named as llama.cpp names them. */
export const gguf: TensorFormat = {
  name: 'gguf',
  async open(path) {
    const found = await stat(path).catch(() => null);
    return found?.isFile() === true ? openGguf(path) : null;
  },
};

/**
 * The GGUF file at `path`; with the other parts beside it, where it is one of several.
 * Errors: `checkpoint_not_found`, `checkpoint_invalid`, those of reading files.
 */
export async function openGguf(path: string, beforeRead?: BeforeRead): Promise<GgufSource> {
  return createSource(await openParts(path, beforeRead));
}

/** A tensor and the file that it lies in. */
interface PlacedTensor extends HeaderTensor {
  readonly file: ReadableFile;
  readonly fileName: string;
}

function createSource(files: readonly OpenFile[]): GgufSource {
  const placed = files.flatMap(({ file, name: fileName, header }) =>
    header.tensors.map((tensor): PlacedTensor => ({ ...tensor, file, fileName })),
  );
  const byName = new Map(placed.map((tensor) => [tensor.name, tensor]));
  const first = present(files[0], 'a model has a file');
  const find = (name: string): PlacedTensor => {
    const tensor = byName.get(name);
    if (tensor !== undefined) return tensor;
    throw new AppError('tensor_not_found', `${first.name} has no tensor "${name}"`, { tensor: name });
  };
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (const { file } of files) await file.close();
  };
  const close = async (): Promise<void> => (closing ??= closeAll());
  return {
    metadata: first.header.metadata,
    tensors: new Map(placed.map(({ name, type, shape }) => [name, { dtype: type.name, shape }])),

    checkReadable(name) {
      const { type } = find(name);
      if (!plainFloatBytes.has(type.name) && !blockDecoders.has(type.name)) throw unsupported(name, type.name);
    },

    async readFloats(name, startElement, count, out) {
      const { type, position, elements, file, fileName } = find(name);
      const inside = startElement >= 0 && count >= 0 && startElement + count <= elements;
      assert(inside && count <= out.length, `elements ${startElement} + ${count} of "${name}"`);
      const values = out.subarray(0, count);
      const width = plainFloatBytes.get(type.name);
      const decode = blockDecoders.get(type.name);
      if (width !== undefined) {
        await readPlainFloats(file, fileName, type.name, position + startElement * width, values);
      } else if (decode !== undefined) {
        await readBlocks(find(name), decode, startElement, values);
      } else throw unsupported(name, type.name);
      checkFinite(name, startElement, values);
    },

    async readBytes(name, start, out) {
      const { position, sizeBytes, file, fileName } = find(name);
      assert(start >= 0 && start + out.length <= sizeBytes, `bytes ${start} + ${out.length} of "${name}"`);
      await readExactly(file, out, position + start, fileName);
    },

    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Decodes the blocks that elements from `startElement` on lie in, piece by piece. */
async function readBlocks(
  { type, position, file, fileName }: PlacedTensor,
  decode: DecodeBlock,
  startElement: number,
  out: Float32Array,
): Promise<void> {
  const { blockSize, blockBytes } = type;
  const end = Math.ceil((startElement + out.length) / blockSize);
  const values = new Float32Array(blockSize);
  for (let first = Math.floor(startElement / blockSize); first < end; first += PIECE_BLOCKS) {
    const bytes = new Uint8Array(Math.min(PIECE_BLOCKS, end - first) * blockBytes);
    await readExactly(file, bytes, position + first * blockBytes, fileName);
    for (let at = 0, to = first * blockSize - startElement; at < bytes.length; at += blockBytes, to += blockSize) {
      decode(bytes, at, values);
      const skipped = Math.max(0, -to);
      out.set(values.subarray(skipped, Math.min(blockSize, out.length - to)), to + skipped);
    }
  }
}

function unsupported(name: string, dtype: string): AppError {
  const known = [...plainFloatBytes.keys(), ...blockDecoders.keys()].join(', ');
  const message = `tensor "${name}" is stored as ${dtype}, which this build cannot read yet; it reads ${known}: take a file of one of these types`;
  return new AppError('unsupported_dtype', message, { tensor: name, dtype });
}
