import { join } from 'node:path';
import { AppError, assert } from '../../base/index.js';
import { openCheckpointFile } from '../checkpoint-file.js';
import type { TensorFormat, TensorInfo, TensorSource } from './format.js';
import { readExactly } from '../read-exactly.js';
import { waitingFile, type BeforeRead, type ReadableFile } from '../readable-file.js';
import { checkFinite, plainFloatBytes, readPlainFloats } from '../read-floats.js';
import { safetensorsInvalid, MAX_SAFETENSORS_HEADER_BYTES, parseHeader } from '../safetensors/header.js';
import { readShardNames } from '../safetensors/shards.js';

interface StoredTensor extends TensorInfo {
  readonly file: ReadableFile;
  readonly fileName: string;
  /** Of its first byte, from the start of the file. */
  readonly position: number;
  readonly elements: number;
}

/** Safetensors: `model.safetensors`, or shards that `model.safetensors.index.json` lists. */
export const safetensors: TensorFormat = {
  name: 'safetensors',

  open: async (directory) => openShards(directory),
};

async function openShards(directory: string, beforeRead?: BeforeRead): Promise<TensorSource | null> {
  const shards = await readShardNames(directory);
  if (shards === null) return null;
  const files: ReadableFile[] = [];
  const tensors = new Map<string, StoredTensor>();
  try {
    for (const [fileName, expected] of shards) {
      const opened = await openCheckpointFile(directory, fileName);
      if (opened === null) {
        throw new AppError('checkpoint_not_found', `${directory} has no file ${fileName}`, { directory, fileName });
      }
      const file = waitingFile(opened, join(directory, fileName), beforeRead);
      files.push(file);
      await addTensors(tensors, file, fileName, expected);
    }
  } catch (error) {
    await closeAll(files);
    throw error;
  }
  return createSource(tensors, files);
}

/** The safetensors checkpoint in `directory`. Errors: `checkpoint_not_found`, `checkpoint_invalid`. */
export async function openSafetensors(directory: string, beforeRead?: BeforeRead): Promise<TensorSource> {
  const source = await openShards(directory, beforeRead);
  if (source !== null) return source;
  const message = `${directory} has neither model.safetensors nor model.safetensors.index.json`;
  throw new AppError('checkpoint_not_found', message, { directory });
}

/** Reads the header of one file; `expected` are the names that the index puts there, null without an index. */
async function addTensors(
  tensors: Map<string, StoredTensor>,
  file: ReadableFile,
  fileName: string,
  expected: ReadonlySet<string> | null,
): Promise<void> {
  const { size } = await file.stat();
  if (size < 8) throw safetensorsInvalid(fileName, `it has ${size} bytes`);
  const length = new Uint8Array(8);
  await readExactly(file, length, 0, fileName);
  const headerBytes = new DataView(length.buffer).getBigUint64(0, true);
  if (headerBytes > BigInt(Math.min(MAX_SAFETENSORS_HEADER_BYTES, size - 8))) {
    const limit = `the limit is ${MAX_SAFETENSORS_HEADER_BYTES}, the file has ${size}`;
    throw safetensorsInvalid(fileName, `it announces a header of ${headerBytes} bytes; ${limit}`);
  }
  const header = new Uint8Array(Number(headerBytes));
  await readExactly(file, header, 8, fileName);
  const dataStart = 8 + header.length;
  let found = 0;
  for (const { name, dtype, shape, begin } of parseHeader(header, size - dataStart, fileName)) {
    if (tensors.has(name)) throw safetensorsInvalid(fileName, `tensor "${name}" is in another file too`);
    if (expected !== null && !expected.has(name))
      throw safetensorsInvalid(fileName, `the index does not list tensor "${name}"`);
    const elements = shape.reduce((product, dimension) => product * dimension, 1);
    tensors.set(name, { dtype, shape, file, fileName, position: dataStart + begin, elements });
    found++;
  }
  if (expected !== null && found !== expected.size) {
    const missing = [...expected].find((name) => !tensors.has(name)) ?? '';
    throw safetensorsInvalid(fileName, `it lacks tensor "${missing}", which the index puts there`);
  }
}

function createSource(tensors: ReadonlyMap<string, StoredTensor>, files: ReadableFile[]): TensorSource {
  const close = (): Promise<void> => closeAll(files.splice(0));
  const find = (name: string): { tensor: StoredTensor; width: number } => {
    const tensor = tensors.get(name);
    if (tensor === undefined) {
      throw new AppError('tensor_not_found', `the checkpoint has no tensor "${name}"`, { tensor: name });
    }
    const width = plainFloatBytes.get(tensor.dtype);
    if (width === undefined) throw unsupported(name, tensor.dtype);
    return { tensor, width };
  };
  return {
    tensors,

    checkReadable: (name) => void find(name),

    async readFloats(name, startElement, count, out) {
      const { tensor, width } = find(name);
      const inside = startElement >= 0 && count >= 0 && startElement + count <= tensor.elements;
      assert(inside && count <= out.length, `elements ${startElement} + ${count} of "${name}"`);
      const position = tensor.position + startElement * width;
      const values = out.subarray(0, count);
      await readPlainFloats(tensor.file, tensor.fileName, tensor.dtype, position, values);
      checkFinite(name, startElement, values);
    },

    close,
    [Symbol.asyncDispose]: close,
  };
}

function unsupported(name: string, dtype: string): AppError {
  const known = [...plainFloatBytes.keys()].join(', ');
  const message = `tensor "${name}" is stored as ${dtype}; weights can be read from ${known}`;
  return new AppError('unsupported_dtype', message, { tensor: name, dtype });
}

async function closeAll(files: readonly ReadableFile[]): Promise<void> {
  await Promise.all(files.map((file) => file.close()));
}
