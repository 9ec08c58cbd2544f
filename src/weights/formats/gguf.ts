import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError, assert, codeOf } from '../../base/index.js';
import { EndOfBytes, invalid } from '../gguf/cursor.js';
import { blockDecoders, type DecodeBlock } from '../gguf/decode.js';
import { parseHeader, type GgufHeader, type HeaderTensor } from '../gguf/header.js';
import { MAX_HEADER_BYTES } from '../gguf/limits.js';
import type { Metadata } from '../gguf/metadata.js';
import { readExactly } from '../read-exactly.js';
import { checkFinite, plainFloatBytes, readPlainFloats } from '../read-floats.js';
import type { TensorFormat, TensorSource } from './format.js';

/** First bytes that are read of a file: the whole header of most without a large vocabulary. */
const FIRST_BYTES = 1 << 20;
/** Blocks that are decoded at once: some tens of KB of the file. */
const PIECE_BLOCKS = 2048;

/** An open GGUF file: its tensors, and what it says of itself. */
export interface GgufSource extends TensorSource {
  readonly metadata: Metadata;
  /**
   * Fills `out` with stored bytes of a tensor from its byte `start` on.
   * Errors: `tensor_not_found`, `checkpoint_invalid` (the file shrank).
   */
  readBytes(name: string, start: number, out: Uint8Array): Promise<void>;
}

/** GGUF: one file with everything in it. Tensors are named as llama.cpp names them. */
export const gguf: TensorFormat = {
  name: 'gguf',
  async open(path) {
    const found = await stat(path).catch(() => null);
    return found?.isFile() === true ? openGguf(path) : null;
  },
};

/** The GGUF file at `path`. Errors: `checkpoint_not_found`, `checkpoint_invalid`. */
export async function openGguf(path: string): Promise<GgufSource> {
  const name = basename(path);
  // Not to hang on a pipe: O_NONBLOCK opens it at once, and the check below refuses it.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    throw isMissing(error) ? new AppError('checkpoint_not_found', `there is no file ${path}`, { path }) : error;
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw invalid(name, 'it is not a regular file');
    return createSource(file, name, await readHeader(file, found.size, name));
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Parses the first megabyte, or four times as much while that is not the whole header. */
async function readHeader(file: FileHandle, fileBytes: number, name: string): Promise<GgufHeader> {
  for (let window = FIRST_BYTES; ; window *= 4) {
    const bytes = new Uint8Array(Math.min(window, fileBytes, MAX_HEADER_BYTES));
    await readExactly(file, bytes, 0, name);
    try {
      return parseHeader(bytes, fileBytes, name);
    } catch (error) {
      if (!(error instanceof EndOfBytes)) throw error;
      if (bytes.length === MAX_HEADER_BYTES) throw invalid(name, `its header is longer than ${MAX_HEADER_BYTES} bytes`);
    }
  }
}

function createSource(file: FileHandle, fileName: string, { metadata, tensors }: GgufHeader): GgufSource {
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const find = (name: string): HeaderTensor => {
    const tensor = byName.get(name);
    if (tensor !== undefined) return tensor;
    throw new AppError('tensor_not_found', `${fileName} has no tensor "${name}"`, { tensor: name });
  };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => (closing ??= file.close());
  return {
    metadata,
    tensors: new Map(tensors.map(({ name, type, shape }) => [name, { dtype: type.name, shape }])),

    async readFloats(name, startElement, count, out) {
      const { type, position, elements } = find(name);
      const inside = startElement >= 0 && count >= 0 && startElement + count <= elements;
      assert(inside && count <= out.length, `elements ${startElement} + ${count} of "${name}"`);
      const values = out.subarray(0, count);
      const width = plainFloatBytes.get(type.name);
      const decode = blockDecoders.get(type.name);
      if (width !== undefined) {
        await readPlainFloats(file, fileName, type.name, position + startElement * width, values);
      } else if (decode !== undefined) {
        await readBlocks(file, fileName, find(name), decode, startElement, values);
      } else throw unsupported(name, type.name);
      checkFinite(name, startElement, values);
    },

    async readBytes(name, start, out) {
      const { position, sizeBytes } = find(name);
      assert(start >= 0 && start + out.length <= sizeBytes, `bytes ${start} + ${out.length} of "${name}"`);
      await readExactly(file, out, position + start, fileName);
    },

    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Decodes the blocks that elements from `startElement` on lie in, piece by piece. */
async function readBlocks(
  file: FileHandle,
  fileName: string,
  { type, position }: HeaderTensor,
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

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
}
