// Encodes GGUF headers: for shape files that every engine can run, and for the parser's suites.
// Format: ggml/docs/gguf.md.

import { alignUp } from '../../src/base/index.js';
import { blockTypes } from '../../src/weights/gguf/block-types.js';

/** A metadata value with the type it is stored as. */
export type TypedValue =
  | { readonly type: 'u16' | 'u32' | 'i32' | 'f32'; readonly value: number }
  | { readonly type: 'u64'; readonly value: number | bigint }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'list'; readonly items: readonly TypedValue[] };

/** A tensor to declare: `shape` outermost dimension first, `type` GGML's name. */
export interface DeclaredTensor {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly number[];
}

/** What a header says. */
export interface HeaderContent {
  readonly metadata: Readonly<Record<string, TypedValue>>;
  readonly tensors: readonly DeclaredTensor[];
  readonly version?: number;
  readonly alignment?: number;
}

const NUMBERS = { u16: 2, u32: 4, i32: 5, f32: 6, bool: 7, text: 8, list: 9, u64: 10 } as const;

/** Shorthands for values. */
export const u32 = (value: number): TypedValue => ({ type: 'u32', value });
export const f32 = (value: number): TypedValue => ({ type: 'f32', value });
export const bool = (value: boolean): TypedValue => ({ type: 'bool', value });
export const text = (value: string): TypedValue => ({ type: 'text', value });
export const list = (items: readonly TypedValue[]): TypedValue => ({ type: 'list', items });

/** The header, padded to where the first tensor begins; tensors lie in the order given, each padded to the alignment. */
export function encodeHeader({ metadata, tensors, version = 3, alignment = 32 }: HeaderContent): Buffer {
  const entries = Object.entries(alignment === 32 ? metadata : { ...metadata, 'general.alignment': u32(alignment) });
  let offset = 0;
  const infos = tensors.map((tensor) => {
    const dims = tensor.shape.toReversed().map((dimension) => encodeU64(dimension));
    const number = [...blockTypes].find(([, { name }]) => name === tensor.type)?.[0] ?? 255;
    const info = [encodeText(tensor.name), encodeU32(dims.length), ...dims, encodeU32(number), encodeU64(offset)];
    offset += alignUp(tensorBytes(tensor), alignment);
    return Buffer.concat(info);
  });
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    encodeU32(version),
    encodeU64(tensors.length),
    encodeU64(entries.length),
    ...entries.flatMap(([key, value]) => [encodeText(key), encodeU32(NUMBERS[value.type]), encodeValue(value)]),
    ...infos,
  ]);
  return Buffer.concat([header, Buffer.alloc(alignUp(header.length, alignment) - header.length)]);
}

/** Bytes of a tensor without padding. */
export function tensorBytes({ type, shape }: DeclaredTensor): number {
  const found = [...blockTypes.values()].find(({ name }) => name === type) ?? { blockSize: 1, blockBytes: 1 };
  return (shape.reduce((product, dimension) => product * dimension, 1) / found.blockSize) * found.blockBytes;
}

function encodeValue(value: TypedValue): Buffer {
  switch (value.type) {
    case 'u16':
      return encodeU16(value.value);
    case 'u32':
      return encodeU32(value.value);
    case 'i32':
      return encodeU32(value.value >>> 0);
    case 'u64':
      return encodeU64(value.value);
    case 'f32':
      return Buffer.from(Float32Array.of(value.value).buffer);
    case 'bool':
      return Buffer.of(value.value ? 1 : 0);
    case 'text':
      return encodeText(value.value);
    case 'list':
      return Buffer.concat([
        encodeU32(NUMBERS[value.items[0]?.type ?? 'u32']),
        encodeU64(value.items.length),
        ...value.items.map(encodeValue),
      ]);
  }
}

function encodeU16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function encodeU32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function encodeU64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function encodeText(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([encodeU64(bytes.length), bytes]);
}
