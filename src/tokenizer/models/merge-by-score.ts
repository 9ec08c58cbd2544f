import { characterLength } from '../text/units.js';
import { MinHeap } from './min-heap.js';

/** Tokens by their text, and which of two merges comes first. */
export interface ScoredVocabulary {
  /** The id of the token `bytes[start, end)`, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number;
  /** The place of the token's score among all scores, the best first; equal scores have equal places. */
  rankOf(id: number): number;
  /** A token that merging may pass through, and that is taken apart again at the end. */
  isUnused(id: number): boolean;
}

/** Called with each token: its id, or -1 for a character without one, and its bytes. */
export type TakeToken = (id: number, start: number, end: number) => void;

/**
 * Merging by score: repeatedly, the two neighbours whose joined text is the token of the best score become one, the
 * leftmost of equals. n log n: a linked list and a heap of (rank, position), kept as rank × 2^31 + position. An entry
 * whose pair has another rank by now is dropped when it is popped.
 * Source: google/sentencepiece, bpe_model.cc, Model::SampleEncode.
 */
export function mergeByScore(bytes: Uint8Array, count: number, vocabulary: ScoredVocabulary, take: TakeToken): void {
  const starts = new Int32Array(count + 1);
  let symbols = 0;
  for (let at = 0; at < count; at += characterLength(bytes[at] as number)) starts[symbols++] = at;
  starts[symbols] = count;
  const ends = starts.slice(1, symbols + 1);
  const ids = Int32Array.from(ends, (end, i) => vocabulary.find(bytes, starts[i] as number, end));
  const next = Int32Array.from(ends, (_, i) => i + 1);
  const previous = Int32Array.from(ends, (_, i) => i - 1);
  /** The merge of a symbol with the next one: an id, or -1. */
  const pairs = new Int32Array(symbols).fill(-1);
  const heap = new MinHeap(3 * symbols + 1);
  /** Unused token → bytes of the left one of the two that it was last found to be made of. */
  const leftOf = new Map<number, number>();

  const renew = (left: number): void => {
    const right = next[left] as number;
    const id = right < symbols ? vocabulary.find(bytes, starts[left] as number, ends[right] as number) : -1;
    pairs[left] = id;
    if (id < 0) return;
    heap.push(vocabulary.rankOf(id) * 0x8000_0000 + left);
    if (vocabulary.isUnused(id)) leftOf.set(id, (ends[left] as number) - (starts[left] as number));
  };
  for (let i = 0; i + 1 < symbols; i++) renew(i);
  while (heap.size > 0) {
    const key = heap.pop();
    const rank = Math.floor(key / 0x8000_0000);
    const at = key - rank * 0x8000_0000;
    const id = pairs[at] as number;
    if (id < 0 || vocabulary.rankOf(id) !== rank) continue;
    const gone = next[at] as number;
    const after = next[gone] as number;
    ids[at] = id;
    ends[at] = ends[gone] as number;
    pairs[gone] = -1;
    next[at] = after;
    if (after < symbols) previous[after] = at;
    if (at > 0) renew(previous[at] as number);
    renew(at);
  }
  const takeApart = (id: number, start: number, end: number): void => {
    const left = id >= 0 && vocabulary.isUnused(id) ? leftOf.get(id) : undefined;
    if (left === undefined) return take(id, start, end);
    takeApart(vocabulary.find(bytes, start, start + left), start, start + left);
    takeApart(vocabulary.find(bytes, start + left, end), start + left, end);
  };
  for (let at = 0; at < symbols; at = next[at] as number) {
    takeApart(ids[at] as number, starts[at] as number, ends[at] as number);
  }
}
