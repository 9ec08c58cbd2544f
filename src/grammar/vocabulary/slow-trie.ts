import type { JoinedTexts } from '../../base/index.js';
import { buildTrie, type Trie } from './build-trie.js';
import { trieBytes, viewsOf, writeHeader, type VocabularyTrie } from './trie-layout.js';
import { MAX_GRAMMAR_TOKEN_BYTES, tooLong } from './vocabulary-limits.js';

/**
 * The trie of joined tokens, without those that are `hidden`; ids from theirs on up to `vocabSize`, which is not
 * smaller, have no bytes. For few tokens, and as the reference of `createFastTrie`. Errors: `invalid_value`.
 */
export function createSlowTrie(tokens: JoinedTexts, hidden: ReadonlySet<number>, vocabSize: number): VocabularyTrie {
  const count = tokens.offsets.length - 1;
  const offsets = new Int32Array(vocabSize + 1);
  const bytes = new Uint8Array(tokens.bytes.length);
  const isHidden = new Uint8Array(vocabSize);
  for (const id of hidden) isHidden[id] = 1;
  let end = 0;
  for (let id = 0; id < vocabSize; id++) {
    if (id < count && isHidden[id] === 0) {
      const last = tokens.offsets[id + 1] as number;
      const start = tokens.offsets[id] as number;
      if (last - start > MAX_GRAMMAR_TOKEN_BYTES) throw tooLong(id, last - start);
      for (let at = start; at < last; at++) bytes[end++] = tokens.bytes[at] as number;
    }
    offsets[id + 1] = end;
  }
  return layOutTokens({ offsets, bytes: bytes.subarray(0, end) });
}

/** The trie of all tokens that have bytes. */
function layOutTokens({ offsets, bytes }: JoinedTexts): VocabularyTrie {
  const ids = new Int32Array(offsets.length - 1);
  const starts = new Int32Array(ids.length);
  const ends = new Int32Array(ids.length);
  let count = 0;
  for (let id = 0; id < ids.length; id++) {
    const start = offsets[id] as number;
    const end = offsets[id + 1] as number;
    if (start === end) continue;
    ids[count] = id;
    starts[count] = start;
    ends[count++] = end;
  }
  const cut = (table: Int32Array): Int32Array => table.subarray(0, count);
  const trie = buildTrie({ bytes, starts: cut(starts), ends: cut(ends), ids: cut(ids) });
  return layOut({ tokenOffsets: offsets, tokenBytes: bytes }, trie);
}

function layOut(own: Pick<VocabularyTrie, 'tokenOffsets' | 'tokenBytes'>, trie: Trie): VocabularyTrie {
  const counts = {
    vocabSize: own.tokenOffsets.length - 1,
    numBytes: own.tokenBytes.length,
    numNodes: trie.nodeEnds.length,
    numTokens: trie.tokens.length,
  };
  // Copying into shared memory is fast where both sides are aligned: all at once.
  const bytes = new Uint8Array(trieBytes(counts));
  const views = viewsOf(bytes, counts);
  views.tokenOffsets.set(own.tokenOffsets);
  views.tokenBytes.set(own.tokenBytes);
  views.nodeEnds.set(trie.nodeEnds);
  views.firstTokens.set(trie.firstTokens);
  views.tokens.set(trie.tokens);
  views.nodeDepths.set(trie.nodeDepths);
  views.nodeBytes.set(trie.nodeBytes);
  writeHeader(bytes, counts);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return viewsOf(shared, counts);
}
