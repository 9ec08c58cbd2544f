import { AppError, parseStrictJson, isJsonObject } from '../../base/index.js';
import { dtypeBits } from './dtypes.js';

/** The format's own limit on its header. Source: safetensors/src/tensor.rs, `MAX_HEADER_SIZE`. */
export const MAX_SAFETENSORS_HEADER_BYTES = 100_000_000;
/** Tensors of one file: published shards hold some thousand; more would only cost memory. */
export const MAX_SAFETENSORS_TENSORS = 1_000_000;
/** Dimensions of one tensor: weights have at most 5. */
export const MAX_RANK = 8;
/** UTF-16 units of a tensor's name: published names have at most about 120. */
export const MAX_NAME_LENGTH = 1024;
// The header is an object of objects of arrays.
const MAX_DEPTH = 3;

/** One tensor of a file: bytes [begin, end) counted from the end of the header. */
export interface HeaderEntry {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

/**
 * The tensors that a header describes, in the order of their bytes, which cover `dataBytes` without hole or overlap.
 * Source: safetensors' README, "Format". Errors: `checkpoint_invalid`; `file` is named in them.
 */
export function parseHeader(header: Uint8Array, dataBytes: number, file: string): HeaderEntry[] {
  if (header[0] !== 0x7b) throw safetensorsInvalid(file, "its header does not start with '{'");
  const root = parseStrictJson(header, { maxDepth: MAX_DEPTH }, (why) => safetensorsInvalid(file, `its header ${why}`));
  if (!isJsonObject(root)) throw safetensorsInvalid(file, 'its header is not an object');
  const entries: HeaderEntry[] = [];
  for (const [name, value] of Object.entries(root)) {
    if (name === '__metadata__') checkMetadata(value, file);
    else entries.push(parseEntry(name, value, file));
  }
  if (entries.length > MAX_SAFETENSORS_TENSORS)
    throw safetensorsInvalid(file, `has ${entries.length} tensors; the limit is ${MAX_SAFETENSORS_TENSORS}`);
  entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let position = 0;
  for (const entry of entries) {
    if (entry.begin !== position) {
      const what = entry.begin < position ? 'overlaps the one before it' : 'leaves a hole before it';
      throw safetensorsInvalid(file, `tensor "${entry.name}" at ${entry.begin} ${what}, which ends at ${position}`);
    }
    position = entry.end;
  }
  if (position !== dataBytes) {
    throw safetensorsInvalid(
      file,
      `holds ${dataBytes} bytes of data, but its tensors need ${position}: is it truncated?`,
    );
  }
  return entries;
}

function checkMetadata(value: unknown, file: string): void {
  if (!isJsonObject(value)) throw safetensorsInvalid(file, '__metadata__ is not an object');
  for (const item of Object.values(value)) {
    if (typeof item !== 'string') throw safetensorsInvalid(file, '__metadata__ holds a value that is not a string');
  }
}

function parseEntry(name: string, value: unknown, file: string): HeaderEntry {
  const bad = (why: string): AppError => safetensorsInvalid(file, `tensor "${name.slice(0, 200)}" ${why}`);
  if (name.length > MAX_NAME_LENGTH) throw bad(`has a name of ${name.length} characters; limit ${MAX_NAME_LENGTH}`);
  if (!isJsonObject(value)) throw bad('is not described by an object');
  const { dtype, shape, data_offsets: offsets, ...rest } = value;
  const [extra] = Object.keys(rest);
  if (extra !== undefined) throw bad(`has an unknown property "${extra}"`);
  const bits = typeof dtype === 'string' ? dtypeBits.get(dtype) : undefined;
  if (typeof dtype !== 'string' || bits === undefined) throw bad(`has an unknown type ${JSON.stringify(dtype)}`);
  if (!isSizes(shape)) throw bad('has a shape that is not a list of whole numbers');
  if (shape.length > MAX_RANK) throw bad(`has ${shape.length} dimensions; the limit is ${MAX_RANK}`);
  if (!isSizes(offsets) || offsets.length !== 2) throw bad('has no pair of data_offsets');
  const [begin, end] = offsets as [number, number];
  const sizeBits = safeProduct([bits, ...shape]);
  if (sizeBits === null || sizeBits % 8 !== 0) throw bad(`has an impossible shape [${shape.join(', ')}]`);
  if (end - begin !== sizeBits / 8) {
    throw bad(`[${shape.join(', ')}] ${dtype} needs ${sizeBits / 8} bytes, its data_offsets give ${end - begin}`);
  }
  return { name, dtype, shape, begin, end };
}

/** The product, null when it or any on the way is beyond 2^53: a zero further on does not hide it. */
function safeProduct(factors: readonly number[]): number | null {
  let product = 1;
  for (const factor of factors) {
    product *= factor;
    if (!Number.isSafeInteger(product)) return null;
  }
  return product;
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0);
}

/** The error for a file that breaks the format. */
export function safetensorsInvalid(file: string, why: string): AppError {
  return new AppError('checkpoint_invalid', `${file} is not a valid safetensors file: ${why}`, { file });
}
