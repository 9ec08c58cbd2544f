import { alignUp } from '../../base/index.js';
import { blockTypes, type BlockType } from './block-types.js';
import { Cursor } from './cursor.js';
import {
  DEFAULT_ALIGNMENT,
  MAX_ALIGNMENT,
  MAX_DIMENSION,
  MAX_METADATA_ENTRIES,
  MAX_TENSOR_NAME_BYTES,
  MAX_RANK,
  MAX_GGUF_TENSORS,
} from './limits.js';
import { readMetadata, type Metadata } from './metadata.js';

const MAGIC = 0x4655_4747; // "GGUF"

/** One tensor of a file. */
export interface HeaderTensor {
  readonly name: string;
  readonly type: BlockType;
  /** Outermost dimension first: [rows, columns]. */
  readonly shape: readonly number[];
  readonly elements: number;
  /** Of its first byte, from the start of the file. */
  readonly position: number;
  readonly sizeBytes: number;
}

/** The part of a file before its tensors' bytes. */
export interface GgufHeader {
  readonly version: number;
  readonly metadata: Metadata;
  readonly tensors: readonly HeaderTensor[];
}

/** A tensor before it is known where the data begins. */
type LooseTensor = Omit<HeaderTensor, 'position'> & { readonly offset: number };

/**
 * Parses the first `bytes` of a file of `fileBytes`. Tensors lie inside the file, aligned, and do not overlap.
 * Source: ggml/docs/gguf.md, versions 2 and 3. Errors: `checkpoint_invalid`, with `file` in its message; throws
 * EndOfBytes when `bytes` end within the header.
 */
export function parseHeader(bytes: Uint8Array, fileBytes: number, file: string): GgufHeader {
  const cursor = new Cursor(bytes, fileBytes, file);
  const version = readVersion(cursor);
  const numTensors = cursor.count('the number of tensors', MAX_GGUF_TENSORS);
  const numKeys = cursor.count('the number of metadata entries', MAX_METADATA_ENTRIES);
  const metadata = readMetadata(cursor, numKeys);
  const alignment = readAlignment(cursor, metadata);
  const loose: LooseTensor[] = [];
  for (let i = 0; i < numTensors; i++) loose.push(readTensor(cursor, alignment));
  const dataStart = alignUp(cursor.position, alignment);
  const tensors = loose.map(({ offset, ...tensor }) => ({ ...tensor, position: dataStart + offset }));
  checkPlaces(cursor, tensors, fileBytes);
  return { version, metadata, tensors };
}

function readVersion(cursor: Cursor): number {
  if (cursor.u32() !== MAGIC) throw cursor.invalid('it does not begin with GGUF');
  const version = cursor.u32();
  if (version === 2 || version === 3) return version;
  // A small number in the upper half means the other byte order.
  if ((version & 0xffff) === 0) throw cursor.invalid('it is big-endian; only little-endian files can be read');
  throw cursor.invalid(`it has version ${version}; versions 2 and 3 can be read`);
}

function readAlignment(cursor: Cursor, metadata: Metadata): number {
  const value = metadata.get('general.alignment') ?? DEFAULT_ALIGNMENT;
  const isPower = typeof value === 'number' && Number.isInteger(Math.log2(value));
  if (isPower && value >= 8 && value <= MAX_ALIGNMENT) return value;
  const shown = typeof value === 'object' ? 'a list' : String(value).slice(0, 40);
  throw cursor.invalid(`general.alignment is ${shown}, not a power of two up to ${MAX_ALIGNMENT}`);
}

function readTensor(cursor: Cursor, alignment: number): LooseTensor {
  const name = cursor.text("a tensor's name", MAX_TENSOR_NAME_BYTES);
  const bad = (why: string): Error => cursor.invalid(`tensor ${JSON.stringify(name)} ${why}`);
  const rank = cursor.u32();
  if (rank < 1 || rank > MAX_RANK) throw bad(`has ${rank} dimensions; 1 to ${MAX_RANK} are possible`);
  const dims: number[] = [];
  for (let i = 0; i < rank; i++) dims.push(cursor.count(`a dimension of ${JSON.stringify(name)}`, MAX_DIMENSION));
  const number = cursor.u32();
  const offset = cursor.count(`the offset of ${JSON.stringify(name)}`, Number.MAX_SAFE_INTEGER);
  const type = blockTypes.get(number);
  if (type === undefined) throw bad(`is stored as GGML type ${number}, which this build does not know`);
  const [columns = 0] = dims;
  const elements = dims.reduce((product, dim) => product * dim, 1);
  if (elements === 0 || !Number.isSafeInteger(elements)) throw bad(`has an impossible shape [${dims.join(', ')}]`);
  if (columns % type.blockSize !== 0) {
    throw bad(`has rows of ${columns} numbers, which ${type.name} cannot store in blocks of ${type.blockSize}`);
  }
  const sizeBytes = (elements / type.blockSize) * type.blockBytes;
  if (!Number.isSafeInteger(sizeBytes)) throw bad(`has an impossible shape [${dims.join(', ')}]`);
  if (offset % alignment !== 0) throw bad(`starts at ${offset}, not at a multiple of ${alignment}`);
  return { name, type, shape: dims.toReversed(), elements, sizeBytes, offset };
}

function checkPlaces(cursor: Cursor, tensors: readonly HeaderTensor[], fileBytes: number): void {
  const names = new Set<string>();
  let end = 0;
  for (const { name, position, sizeBytes } of tensors.toSorted((a, b) => a.position - b.position)) {
    const bad = (why: string): Error => cursor.invalid(`tensor ${JSON.stringify(name)} ${why}`);
    if (names.has(name)) throw bad('is there twice');
    names.add(name);
    if (position < end) throw bad(`starts at ${position}, inside the one before it, which ends at ${end}`);
    end = position + sizeBytes;
    if (end > fileBytes) throw bad(`ends at byte ${end}, the file at ${fileBytes}: is it truncated?`);
  }
}
