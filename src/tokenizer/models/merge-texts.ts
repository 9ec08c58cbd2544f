import { isJoined, joinTexts, type JoinedTexts } from '../../base/index.js';
import { tokenizerInvalid } from '../errors.js';
import { toList } from '../file/json.js';
import { MAX_MERGES } from '../limits.js';
import type { TokenContents } from '../tokens/token-contents.js';
import type { Merges } from './merge-table.js';

const SPACE = 0x20;

/** Merges of tokenizer.json, "a b" or ["a", "b"], or joined texts "a b" of a caller in this package. Errors: `tokenizer_invalid`. */
export function readMergeTexts(value: unknown, vocabulary: TokenContents): Merges {
  const { bytes, offsets } = isJoined(value) ? splitJoined(value) : splitList(value);
  const count = (offsets.length - 1) / 2;
  const merges = { lefts: new Int32Array(count), rights: new Int32Array(count), merged: new Int32Array(count) };
  for (let rank = 0; rank < count; rank++) {
    const start = offsets[2 * rank] as number;
    const middle = offsets[2 * rank + 1] as number;
    const end = offsets[2 * rank + 2] as number;
    const left = vocabulary.find(bytes, start, middle);
    const right = vocabulary.find(bytes, middle, end);
    const merged = vocabulary.find(bytes, start, end);
    if (left < 0 || right < 0 || merged < 0)
      throw tokenizerInvalid(`model.merges[${rank}]`, 'a part of it, or its result, is not in the vocabulary');
    merges.lefts[rank] = left;
    merges.rights[rank] = right;
    merges.merged[rank] = merged;
  }
  return merges;
}

/** The two texts of each merge, which are adjacent, so that their concatenation exists as well. */
function splitJoined({ bytes, offsets }: JoinedTexts): JoinedTexts {
  const count = checkCount(offsets.length - 1);
  const parts = new Uint8Array(bytes.length);
  const partOffsets = new Int32Array(2 * count + 1);
  let end = 0;
  for (let rank = 0; rank < count; rank++) {
    let spaces = 0;
    for (let at = offsets[rank] as number; at < (offsets[rank + 1] as number); at++) {
      const byte = bytes[at] as number;
      if (byte !== SPACE) parts[end++] = byte;
      else if (spaces++ === 0) partOffsets[2 * rank + 1] = end;
    }
    if (spaces !== 1) throw noPair(rank);
    partOffsets[2 * rank + 2] = end;
  }
  return { bytes: parts, offsets: partOffsets };
}

function splitList(value: unknown): JoinedTexts {
  const parts: string[] = [];
  for (const [rank, merge] of toList(value, 'model.merges', MAX_MERGES).entries()) {
    const pair: readonly unknown[] = typeof merge === 'string' ? merge.split(' ') : Array.isArray(merge) ? merge : [];
    const [first, second] = pair;
    const isPair = pair.length === 2 && typeof first === 'string' && typeof second === 'string';
    if (!isPair || !first.isWellFormed() || !second.isWellFormed()) throw noPair(rank);
    parts.push(first, second);
  }
  return joinTexts(parts);
}

function checkCount(count: number): number {
  if (count > MAX_MERGES) throw tokenizerInvalid('model.merges', `has ${count} items, the limit is ${MAX_MERGES}`);
  return count;
}

function noPair(rank: number): Error {
  return tokenizerInvalid(`model.merges[${rank}]`, 'is no pair of tokens');
}
