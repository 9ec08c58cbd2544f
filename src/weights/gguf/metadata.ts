import type { Cursor, WordList, WordType } from './cursor.js';
import { MAX_ARRAY_DEPTH, MAX_ARRAY_LENGTH, MAX_KEY_BYTES, MAX_STRING_BYTES } from './limits.js';
import type { TextList } from './text-list.js';

/** A metadata value. 64-bit integers beyond 2^53 stay bigint. */
export type MetadataValue = number | bigint | boolean | string | TextList | WordList | readonly MetadataValue[];

/** A file's metadata, by key, in its order. */
export type Metadata = ReadonlyMap<string, MetadataValue>;

interface ValueType {
  /** Least bytes of one value, which bound an array before it is read. */
  readonly bytes: number;
  read(cursor: Cursor, key: string, depth: number): MetadataValue;
}

const TEXT = 8;
const ARRAY = 9;

/** The value types by their number. Source: ggml/docs/gguf.md, `gguf_metadata_value_type`. */
const valueTypes: ReadonlyMap<number, ValueType> = new Map<number, ValueType>([
  [0, { bytes: 1, read: (cursor) => cursor.u8() }],
  [1, { bytes: 1, read: (cursor) => cursor.i8() }],
  [2, { bytes: 2, read: (cursor) => cursor.u16() }],
  [3, { bytes: 2, read: (cursor) => cursor.i16() }],
  [4, { bytes: 4, read: (cursor) => cursor.u32() }],
  [5, { bytes: 4, read: (cursor) => cursor.i32() }],
  [6, { bytes: 4, read: (cursor) => cursor.f32() }],
  [7, { bytes: 1, read: readBoolean }],
  [TEXT, { bytes: 8, read: (cursor, key) => cursor.text(`a string of ${key}`, MAX_STRING_BYTES) }],
  [ARRAY, { bytes: 12, read: readArray }],
  [10, { bytes: 8, read: (cursor) => toSafe(cursor.u64()) }],
  [11, { bytes: 8, read: (cursor) => toSafe(cursor.i64()) }],
  [12, { bytes: 8, read: (cursor) => cursor.f64() }],
]);

/** Types of four bytes, whose arrays are read at once. */
const wordTypes: ReadonlyMap<number, WordType> = new Map([
  [4, 'u32'],
  [5, 'i32'],
  [6, 'f32'],
]);

/** `count` entries, each key once. Errors: `checkpoint_invalid`. */
export function readMetadata(cursor: Cursor, count: number): Metadata {
  const metadata = new Map<string, MetadataValue>();
  for (let i = 0; i < count; i++) {
    const key = cursor.text('a key', MAX_KEY_BYTES);
    const shown = JSON.stringify(key.slice(0, 100));
    if (metadata.has(key)) throw cursor.invalid(`it has the key ${shown} twice`);
    metadata.set(key, readType(cursor, shown).read(cursor, shown, 0));
  }
  return metadata;
}

function readType(cursor: Cursor, key: string): ValueType {
  return typeOf(cursor, key, cursor.u32());
}

function typeOf(cursor: Cursor, key: string, number: number): ValueType {
  const type = valueTypes.get(number);
  if (type === undefined) throw cursor.invalid(`${key} has a value of the unknown type ${number}`);
  return type;
}

function readBoolean(cursor: Cursor, key: string): boolean {
  const byte = cursor.u8();
  if (byte > 1) throw cursor.invalid(`${key} is a boolean of ${byte}; 0 and 1 are possible`);
  return byte === 1;
}

function readArray(cursor: Cursor, key: string, depth: number): TextList | WordList | MetadataValue[] {
  if (depth === MAX_ARRAY_DEPTH) throw cursor.invalid(`${key} nests arrays deeper than ${MAX_ARRAY_DEPTH} levels`);
  const number = cursor.u32();
  const type = typeOf(cursor, key, number);
  const length = cursor.count(`the array length of ${key}`, MAX_ARRAY_LENGTH);
  cursor.expectRoom(length * type.bytes, `the array of ${key}`);
  if (number === TEXT) return cursor.texts(length, `a string of ${key}`, MAX_STRING_BYTES);
  const words = wordTypes.get(number);
  // A vocabulary has hundreds of thousands of them.
  if (words !== undefined) return cursor.words(length, words);
  const values: MetadataValue[] = [];
  for (let i = 0; i < length; i++) values.push(type.read(cursor, key, depth + 1));
  return values;
}

function toSafe(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
