import { secondByteRange } from '../base/index.js';
import type { Decoding } from './decoders/index.js';
import type { Detokenizer, DetokenizerOptions, TextDelta } from './tokenizer-api.js';
import type { TokenVocabulary } from './tokens/vocabulary.js';

/**
 * The bytes at the end of `bytes[0, count)` that begin a code point which more bytes could complete, 0 to 3.
 * Source: The Unicode Standard, table 3-7, well-formed UTF-8.
 */
export function incompleteTail(bytes: Uint8Array, count: number): number {
  for (let back = 1; back <= 3 && back <= count; back++) {
    const byte = bytes[count - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length =
      byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
    if (length <= back) return 0;
    if (back === 1) return 1;
    const second = bytes[count - back + 1] as number;
    const [low, high] = secondByteRange(byte);
    return second >= low && second <= high ? back : 0;
  }
  return 0;
}

/**
 * A detokenizer over the vocabulary's bytes. `specialOf` names the added tokens that come as `special`: those that
 * decode to their own content. (An added token made of byte-alphabet characters decodes to bytes, like any other.)
 */
export function createDetokenizer(
  vocabulary: TokenVocabulary,
  decoding: Decoding,
  specialOf: ReadonlyMap<number, string>,
  toText: (bytes: Uint8Array) => string,
  { continues }: DetokenizerOptions,
): Detokenizer {
  const isToken = (id: number): boolean => id >= 0 && id < vocabulary.size;
  let pending = new Uint8Array(0);
  let start = decoding.begin();
  let isBeginning = continues !== true && start.isOpen;

  const bytesOf = (id: number): Uint8Array => {
    if (!isToken(id)) return new Uint8Array(0);
    if (isBeginning) return start.peek(id).slice();
    return vocabulary.bytes.slice(vocabulary.offsets[id], vocabulary.offsets[id + 1]);
  };
  const take = (id: number): Uint8Array => {
    if (!isBeginning) return vocabulary.bytes.subarray(vocabulary.offsets[id], vocabulary.offsets[id + 1]);
    const bytes = start.take(id);
    isBeginning = start.isOpen;
    return bytes;
  };
  const giveRest = (): TextDelta[] => {
    const text = toText(pending);
    pending = new Uint8Array(0);
    return text === '' ? [] : [{ text }];
  };
  const flush = (): TextDelta[] => {
    start = decoding.begin();
    isBeginning = continues !== true && start.isOpen;
    return giveRest();
  };
  const push = (id: number): TextDelta[] => {
    if (!isToken(id)) return [];
    const token = take(id);
    const special = specialOf.get(id);
    if (special !== undefined) return [...giveRest(), { text: '', special }];
    const bytes = new Uint8Array(pending.length + token.length);
    bytes.set(pending);
    bytes.set(token, pending.length);
    const complete = bytes.length - incompleteTail(bytes, bytes.length);
    pending = bytes.slice(complete);
    const text = toText(bytes.subarray(0, complete));
    return text === '' ? [] : [{ text }];
  };
  return { push, bytesOf, flush };
}
