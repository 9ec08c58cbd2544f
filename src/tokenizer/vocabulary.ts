import type { ByteAlphabet } from './byte-alphabet.js';
import type { SectionReader, Sections } from './binary.js';
import { invalid } from './errors.js';
import { MAX_PROBES, MAX_TOKEN_BYTES, MAX_VOCAB_SIZE } from './limits.js';

/** The tokens of a vocabulary by id and by bytes, as flat tables over the file. Ids without a token have no bytes. */
export interface Vocabulary {
  /** One more than the largest id, added tokens included. */
  readonly size: number;
  /** Token `id` is `bytes[offsets[id], offsets[id + 1])`: what it decodes to. */
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
  /** The id of the model's token with these bytes, or -1. */
  find(bytes: Uint8Array, count: number): number;
}

/** Tokens to store: `regular` ones can be found by their bytes. */
export interface TokenEntry {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly regular: boolean;
}

/** Lays out the tables. `tokens` by id, each once. */
export function writeVocabulary(tokens: readonly TokenEntry[]): Sections {
  const sorted = tokens.toSorted((a, b) => a.id - b.id);
  const size = (sorted.at(-1)?.id ?? -1) + 1;
  const tokenOffsets = new Int32Array(size + 1);
  const tokenBytes = new Uint8Array(sorted.reduce((sum, token) => sum + token.bytes.length, 0));
  let capacity = 8;
  while (capacity < 1.5 * sorted.length) capacity *= 2;
  const tokenLookup = new Int32Array(capacity).fill(-1);
  let next = 0;
  let offset = 0;
  for (const { id, bytes, regular } of sorted) {
    while (next <= id) tokenOffsets[next++] = offset;
    tokenBytes.set(bytes, offset);
    offset += bytes.length;
    if (!regular || bytes.length === 0) continue;
    let slot = hashOf(bytes, bytes.length) & (capacity - 1);
    for (let probes = 0; tokenLookup[slot] !== -1; probes++) {
      if (probes === MAX_PROBES) throw invalid('model.vocab', 'tokens are made to collide');
      slot = (slot + 1) & (capacity - 1);
    }
    tokenLookup[slot] = id;
  }
  tokenOffsets[size] = offset;
  return { tokenOffsets, tokenBytes, tokenLookup };
}

/** Checks every offset and id, so that later reads need no checks. Errors: `tokenizer_invalid`. */
export function readVocabulary(sections: SectionReader): Vocabulary {
  const offsets = sections.words('tokenOffsets');
  const bytes = sections.bytes('tokenBytes');
  const lookup = sections.words('tokenLookup');
  const size = offsets.length - 1;
  if (size < 1 || size > MAX_VOCAB_SIZE)
    throw invalid('tokenizer.bin', `${size} tokens, the limit is ${MAX_VOCAB_SIZE}`);
  let longest = 0;
  let wrong = offsets[0] !== 0 || offsets[size] !== bytes.length;
  for (let id = 0; id < size; id++) {
    const length = (offsets[id + 1] as number) - (offsets[id] as number);
    if (length < 0) wrong = true;
    if (length > longest) longest = length;
  }
  if (wrong || longest > MAX_TOKEN_BYTES) throw invalid('tokenizer.bin', 'the token offsets are out of order');
  checkTable(lookup, 1, size, 'tokenLookup');

  const mask = lookup.length - 1;
  const find = (wanted: Uint8Array, count: number): number => {
    if (count > longest) return -1;
    for (let slot = hashOf(wanted, count) & mask; ; slot = (slot + 1) & mask) {
      const id = lookup[slot] as number;
      if (id < 0) return -1;
      const start = offsets[id] as number;
      if ((offsets[id + 1] as number) - start !== count) continue;
      let same = 0;
      while (same < count && bytes[start + same] === wanted[same]) same++;
      if (same === count) return id;
    }
  };
  return { size, offsets, bytes, find };
}

/**
 * Checks an open-addressing table of `width` words a slot: a power of two of slots, the first word of each below `limit`
 * or -1 for empty, and enough slots empty that a search ends soon. Errors: `tokenizer_invalid`.
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
  if (wrong || empty === 0) throw invalid('tokenizer.bin', `the table ${name} is out of shape`);
}

/** FNV-1a over bytes, with a last mix for the low bits. Source: Fowler, Noll and Vo. */
function hashOf(bytes: Uint8Array, count: number): number {
  let hash = 0x811c_9dc5 | 0;
  for (let i = 0; i < count; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x0100_0193);
  return hash ^ (hash >>> 15);
}

/** The bytes of a token as the file writes it. Errors: `tokenizer_invalid` when it is too long. */
export function toTokenBytes(token: string, alphabet: ByteAlphabet, where: string): Omit<TokenEntry, 'id'> {
  const found = alphabet.bytesOf(token);
  if (found === undefined) throw invalid(where, `a token has more than ${MAX_TOKEN_BYTES} bytes`);
  return found;
}
