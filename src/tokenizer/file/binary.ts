import { alignUp } from '../../base/index.js';
import { tokenizerInvalid } from '../errors.js';
import { MAX_TOKENIZER_BYTES } from '../limits.js';

/**
 * tokenizer.bin: little-endian 32-bit words. Header: magic, version, size of the file in bytes, checksum of all that
 * follows, number of sections. For each section its number, offset and size in bytes. Then the sections, 8-aligned.
 * Sections are read as views on the file's bytes, nothing is parsed or copied.
 */
const MAGIC = 0x4b54_5254; // "TRTK"
const VERSION = 1;
const HEADER_WORDS = 5;
const ENTRY_WORDS = 3;
const ALIGNMENT = 8;

/** The contents of a section. A number never gets a second meaning. */
export const sectionNumbers = {
  settings: 1,
  tokenOffsets: 2,
  tokenBytes: 3,
  tokenLookup: 4,
  byteIds: 5,
  mergeTable: 6,
  mergeIds: 7,
  textOffsets: 8,
  textBytes: 9,
  scoreRanks: 10,
  scores: 11,
  trieTable: 12,
  trieIds: 13,
} as const;

/** The name of a section. */
export type SectionName = keyof typeof sectionNumbers;

/** Sections to store. */
export type Sections = Partial<Record<SectionName, Uint8Array | Int32Array | Float64Array>>;

const MAX_SECTIONS = Object.keys(sectionNumbers).length;

/** Puts the sections into one file, in shared memory: threads pass it on without a copy. */
export function writeSections(sections: Sections): Uint8Array {
  const entries = Object.entries(sections) as [SectionName, NonNullable<Sections[SectionName]>][];
  let size = alignUp(4 * (HEADER_WORDS + ENTRY_WORDS * entries.length), ALIGNMENT);
  const offsets = entries.map(([, data]) => {
    const offset = size;
    size = alignUp(size + data.byteLength, ALIGNMENT);
    return offset;
  });
  const bytes = new Uint8Array(new SharedArrayBuffer(size));
  const words = new Int32Array(bytes.buffer);
  words.set([MAGIC, VERSION, size, 0, entries.length]);
  entries.forEach(([name, data], i) => {
    const offset = offsets[i] as number;
    words.set([sectionNumbers[name], offset, data.byteLength], HEADER_WORDS + ENTRY_WORDS * i);
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
  });
  words[3] = checksumOf(words);
  return bytes;
}

/** The sections of a file, each a view of words or bytes. */
export interface SectionReader {
  has(name: SectionName): boolean;
  words(name: SectionName): Int32Array;
  floats(name: SectionName): Float64Array;
  bytes(name: SectionName): Uint8Array;
}

/**
 * Checks header, size, bounds and, unless this process has just written the file, checksum. Errors: `tokenizer_invalid`. The views
 * keep `file`'s memory alive.
 */
export function readSections(file: Uint8Array, isOwn = false): SectionReader {
  if (file.byteLength < 4 * HEADER_WORDS) throw tokenizerInvalid('tokenizer.bin', `has only ${file.byteLength} bytes`);
  if (file.byteLength > MAX_TOKENIZER_BYTES)
    throw tokenizerInvalid('tokenizer.bin', `has more than ${MAX_TOKENIZER_BYTES} bytes`);
  if (file.byteLength % ALIGNMENT !== 0)
    throw tokenizerInvalid('tokenizer.bin', 'is truncated: its size is no multiple of 8');
  const aligned = file.byteOffset % ALIGNMENT === 0 ? file : file.slice();
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
  const [magic, version, size, checksum, count] = words.subarray(0, HEADER_WORDS);
  if (magic !== MAGIC) throw tokenizerInvalid('tokenizer.bin', 'is no such file: it does not begin with TRTK');
  if (version !== VERSION)
    throw tokenizerInvalid('tokenizer.bin', `has version ${version}, this build reads ${VERSION}`);
  if (size !== aligned.byteLength)
    throw tokenizerInvalid('tokenizer.bin', `is truncated: ${aligned.byteLength} of ${size} bytes`);
  if (!isOwn && checksum !== checksumOf(words))
    throw tokenizerInvalid('tokenizer.bin', 'is damaged: its checksum does not match');
  if (count === undefined || count < 0 || count > MAX_SECTIONS)
    throw tokenizerInvalid('tokenizer.bin', `has ${count} sections`);

  const found = new Map<number, Uint8Array>();
  for (let i = 0; i < count; i++) {
    const at = HEADER_WORDS + ENTRY_WORDS * i;
    const [number = -1, offset = -1, length = -1] = words.subarray(at, at + ENTRY_WORDS);
    if (offset < 0 || length < 0 || offset % ALIGNMENT !== 0 || offset + length > size || found.has(number)) {
      throw tokenizerInvalid('tokenizer.bin', `section ${number} is outside the file, or occurs twice`);
    }
    found.set(number, new Uint8Array(aligned.buffer, aligned.byteOffset + offset, length));
  }
  const bytes = (name: SectionName): Uint8Array => {
    const section = found.get(sectionNumbers[name]);
    if (section === undefined) throw tokenizerInvalid('tokenizer.bin', `lacks the section ${name}`);
    return section;
  };
  const wordsOf = (name: SectionName): Int32Array => {
    const section = bytes(name);
    if (section.byteLength % 4 !== 0)
      throw tokenizerInvalid('tokenizer.bin', `the section ${name} is no list of words`);
    return new Int32Array(section.buffer, section.byteOffset, section.byteLength / 4);
  };
  const floats = (name: SectionName): Float64Array => {
    const section = bytes(name);
    if (section.byteLength % 8 !== 0)
      throw tokenizerInvalid('tokenizer.bin', `the section ${name} is no list of numbers`);
    return new Float64Array(section.buffer, section.byteOffset, section.byteLength / 8);
  };
  return { bytes, words: wordsOf, floats, has: (name) => found.has(sectionNumbers[name]) };
}

/** Mixes all words after the checksum. Each step can be undone, so a change of one word always changes the result. */
function checksumOf(words: Int32Array): number {
  let sum = 0;
  for (let i = 4; i < words.length; i++) {
    sum = Math.imul(sum ^ (words[i] as number), 0x9e37_79b1);
    sum ^= sum >>> 15;
  }
  return sum | 0;
}
