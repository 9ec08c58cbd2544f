import { characterLength } from '../text/units.js';
import type { TokenTrie } from './token-trie.js';

/** The tokens of a path through a text. */
export interface PathTokens {
  readonly trie: TokenTrie;
  /** id → log probability. */
  readonly scores: Float64Array;
  /** Of a character that is no token. */
  readonly unkScore: number;
  /** Sums are kept in single precision, as sentencepiece does; else in double, as tokenizers does. */
  readonly isSingle: boolean;
  /** Tokens that no text becomes. */
  readonly excluded: ReadonlySet<number>;
}

/** Called with each token of the path, in order: its id, or -1 for an unknown character, and its bytes. */
export type TakeStep = (id: number, start: number, end: number) => void;

/**
 * The most probable way to write `bytes[0, count)` as tokens (Viterbi); a character that is no token costs `unkScore`. Of
 * equally good ways the one found first. Work: the bytes, times the longest match at each.
 * Source: google/sentencepiece, unigram_model.cc, Model::EncodeOptimized; huggingface/tokenizers has the same.
 */
export function findBestPath(bytes: Uint8Array, count: number, tokens: PathTokens, take: TakeStep): void {
  const { trie, scores, unkScore, isSingle, excluded } = tokens;
  const round = isSingle ? Math.fround : (value: number): number => value;
  const best = new Float64Array(count + 1);
  const startOf = new Int32Array(count + 1).fill(-1);
  const idOf = new Int32Array(count + 1);
  for (let start = 0; start < count;) {
    const sofar = best[start] as number;
    const length = characterLength(bytes[start] as number);
    let isToken = false;
    let node = 0;
    for (let end = start; end < count;) {
      node = trie.next(node, bytes[end++] as number);
      if (node < 0) break;
      const id = trie.ids[node] as number;
      if (id < 0 || excluded.has(id)) continue;
      const score = (scores[id] as number) + sofar;
      if (startOf[end] === -1 || score > (best[end] as number)) {
        best[end] = round(score);
        startOf[end] = start;
        idOf[end] = id;
      }
      if (end - start === length) isToken = true;
    }
    if (!isToken) {
      const end = start + length;
      const score = round(unkScore + sofar);
      if (startOf[end] === -1 || score > (best[end] as number)) {
        best[end] = score;
        startOf[end] = start;
        idOf[end] = -1;
      }
    }
    start += length;
  }
  const steps: number[] = [];
  for (let end = count; end > 0; end = startOf[end] as number) steps.push(end);
  let start = 0;
  for (const end of steps.toReversed()) {
    take(idOf[end] as number, start, end);
    start = end;
  }
}
