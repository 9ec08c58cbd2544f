import type { JoinedTexts } from '../../base/index.js';
import type { SectionReader, Sections } from '../file/binary.js';
import { hashOfBytes } from './byte-hash.js';
import { tokenizerInvalid } from '../errors.js';
import { MAX_PROBES, MAX_TOKEN_BYTES, MAX_VOCAB_SIZE } from '../limits.js';

/** The tokens of a vocabulary by id and by bytes, as flat tables over the file. Ids without a token have no bytes. */
export interface TokenVocabulary {
  /** One more than the largest id, added tokens included. */
  readonly size: number;
  /** Token `id` is `bytes[offsets[id], offsets[id + 1])`: its decoded text, except at the beginning of a text. */
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
  /** The token as the vocabulary writes it, where that is text: ▁ for a space, `<0x0A>` for a byte. */
  contentOf(id: number): string;
  /** The id of the model's token with the bytes `[start, start + count)`, or -1. `start` is 0 unless given. */
  find(bytes: Uint8Array, count: number, start?: number): number;
}

/** Tokens to store, by id. Ids without a token have no bytes, and are not `regular`. */
export interface TokenTables {
  /** The lookup key of each. */
  readonly keys: JoinedTexts;
  /** The decoded text of each; absent: the key. */
  readonly texts?: JoinedTexts | undefined;
  /** 1 for those that can be found by their bytes. */
  readonly regular: Uint8Array;
  /** How many ids have a token. */
  readonly count: number;
}

/** Lays out the tables. Errors: `tokenizer_invalid` for tokens that were made to collide. */
export function writeVocabulary({ keys, texts, regular, count }: TokenTables): Sections {
  const { bytes, offsets } = keys;
  let capacity = 8;
  while (capacity < 1.5 * count) capacity *= 2;
  const tokenLookup = new Int32Array(capacity).fill(-1);
  for (let id = 0; id < regular.length; id++) {
    const start = offsets[id] as number;
    const length = (offsets[id + 1] as number) - start;
    if (regular[id] === 0 || length === 0) continue;
    let slot = hashOfBytes(bytes, length, start) & (capacity - 1);
    for (let probes = 0; tokenLookup[slot] !== -1; probes++) {
      if (probes === MAX_PROBES) throw tokenizerInvalid('model.vocab', 'tokens are made to collide');
      slot = (slot + 1) & (capacity - 1);
    }
    tokenLookup[slot] = id;
  }
  const tables = { tokenOffsets: offsets, tokenBytes: bytes, tokenLookup };
  return texts === undefined ? tables : { ...tables, textOffsets: texts.offsets, textBytes: texts.bytes };
}

/**
 * Checks every offset and id, so that later reads need no checks, unless this process has just written the file. Errors:
 * `tokenizer_invalid`.
 */
export function readVocabulary(sections: SectionReader, isOwn = false): TokenVocabulary {
  const offsets = sections.words('tokenOffsets');
  const bytes = sections.bytes('tokenBytes');
  const lookup = sections.words('tokenLookup');
  const size = offsets.length - 1;
  if (size < 1 || size > MAX_VOCAB_SIZE)
    throw tokenizerInvalid('tokenizer.bin', `${size} tokens, the limit is ${MAX_VOCAB_SIZE}`);
  const longest = isOwn ? MAX_TOKEN_BYTES : longestOf(offsets, bytes);
  if (!isOwn) checkTable(lookup, 1, size, 'tokenLookup');
  const text = sections.has('textOffsets')
    ? { offsets: sections.words('textOffsets'), bytes: sections.bytes('textBytes') }
    : { offsets, bytes };
  if (text.offsets.length !== size + 1) throw tokenizerInvalid('tokenizer.bin', 'not every token has a text');
  if (!isOwn) longestOf(text.offsets, text.bytes);

  const mask = lookup.length - 1;
  const find = (wanted: Uint8Array, count: number, from = 0): number => {
    if (count > longest) return -1;
    for (let slot = hashOfBytes(wanted, count, from) & mask; ; slot = (slot + 1) & mask) {
      const id = lookup[slot] as number;
      if (id < 0) return -1;
      const start = offsets[id] as number;
      if ((offsets[id + 1] as number) - start !== count) continue;
      let same = 0;
      while (same < count && bytes[start + same] === wanted[from + same]) same++;
      if (same === count) return id;
    }
  };
  const contentOf = (id: number): string =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.slice(offsets[id], offsets[id + 1]));
  return { size, ...text, contentOf, find };
}

/** The bytes of the longest token. Errors: `tokenizer_invalid` when offsets are out of order or too far apart. */
function longestOf(offsets: Int32Array, bytes: Uint8Array): number {
  let longest = 0;
  let wrong = offsets[0] !== 0 || offsets.at(-1) !== bytes.length;
  for (let id = 0; id + 1 < offsets.length; id++) {
    const length = (offsets[id + 1] as number) - (offsets[id] as number);
    if (length < 0) wrong = true;
    if (length > longest) longest = length;
  }
  if (wrong || longest > MAX_TOKEN_BYTES) throw tokenizerInvalid('tokenizer.bin', 'the token offsets are out of order');
  return longest;
}

/**
 * Checks an open-addressing table of `width` words a slot. The number of slots is a power of two, and the first word of
 * each is below `limit`, or -1 for empty. Enough slots are empty that a search ends soon. Errors: `tokenizer_invalid`.
 */
export function checkTable(table: Int32Array, width: number, limit: number, name: string): void {
  const slots = table.length / width;
  let empty = 0;
  let row = 0;
  let wrong = !Number.isInteger(slots) || slots < 1 || (slots & (slots - 1)) !== 0;
  for (let at = 0; at < table.length; at += width) {
    const value = table[at] as number;
    row = value === -1 ? 0 : row + 1;
    if (value === -1) empty++;
    else if (value < 0 || value >= limit || row > MAX_PROBES) wrong = true;
  }
  if (wrong || empty === 0) throw tokenizerInvalid('tokenizer.bin', `the table ${name} is out of shape`);
}
