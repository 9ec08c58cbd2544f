import { alignUp, type JoinedTexts } from '../../base/index.js';
import { createTrieKernels } from './trie-kernels.js';
import { HEADER_WORDS, trieBytes, viewsOf, writeHeader, type VocabularyTrie } from './trie-layout.js';
import { MAX_GRAMMAR_TOKEN_BYTES, tooLong } from './vocabulary-limits.js';

const PAGE_BYTES = 65_536;
/** Bytes of a row that is sorted, and of the counts that sorting needs: kernels-as/trie. */
const ROW_BYTES = 16;
const COUNTS_BYTES = 8 * 1024;
/** Bytes after the texts that are read with the last. */
const BEHIND_TEXTS = 8;
/** Words that one call sums up: V8 recompiles a function that is called again, for speed. */
const WORDS_AT_ONCE = 1 << 16;

/**
 * The result of `createSlowTrie`, computed in WASM, which is fast from its first call on. A conversion makes one trie,
 * and most of it is done before V8 has optimised TypeScript. The tables are written in place, in the memory of the
 * kernels, and sorting uses the memory of later tables: touching fresh memory takes longer than the work in it.
 * `hidden`: ids without bytes. Errors: `invalid_value`.
 */
export function createFastTrie(tokens: JoinedTexts, hidden: ReadonlySet<number>, vocabSize: number): VocabularyTrie {
  const places = placesOf(vocabSize, tokens.bytes.length);
  const { offsets, rows, spare, texts, ids, prefixes, path, counts, pages } = places;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const kernels = createTrieKernels(memory);
  const all = new Uint8Array(memory.buffer);
  all.set(tokens.bytes, texts);
  const bounds = new Int32Array(memory.buffer, offsets, vocabSize + 1);
  bounds.set(tokens.offsets);
  bounds.fill(tokens.offsets.at(-1) ?? 0, tokens.offsets.length);
  // Rows use this memory later.
  const flags = all.subarray(rows, rows + vocabSize);
  for (const id of hidden) flags[id] = 1;
  const numBytes = kernels.dropTexts(texts, offsets, vocabSize, rows, MAX_GRAMMAR_TOKEN_BYTES);
  if (numBytes < 0) throw tooLong(-1 - numBytes, lengthOf(tokens, -1 - numBytes));
  const numTokens = kernels.fillRows(texts, offsets, vocabSize, rows);
  kernels.sortRows(offsets, texts, rows, numTokens, 0, spare, counts);
  const numNodes = kernels.comparePrefixes(offsets, texts, rows, numTokens, ids, prefixes);

  const sizes = { vocabSize, numBytes, numNodes, numTokens };
  const bytes = all.subarray(0, trieBytes(sizes));
  const trie = viewsOf(bytes, sizes);
  const [ends, firsts, depths, of] = [trie.nodeEnds, trie.firstTokens, trie.nodeDepths, trie.nodeBytes] as const;
  kernels.putNodes(
    offsets,
    texts,
    ids,
    prefixes,
    numTokens,
    ends.byteOffset,
    firsts.byteOffset,
    depths.byteOffset,
    of.byteOffset,
    path,
  );
  all.copyWithin(trie.tokens.byteOffset, ids, ids + 4 * numTokens);
  all.copyWithin(trie.tokenBytes.byteOffset, texts, texts + numBytes);
  writeHeader(bytes, sizes, (start, from, to) => {
    let sum = start;
    for (let at = from; at < to; at += WORDS_AT_ONCE) {
      sum = kernels.addWords(sum, 4 * at, 4 * Math.min(at + WORDS_AT_ONCE, to));
    }
    return sum;
  });
  return trie;
}

/** The memory layout. Its length is that of the largest trie of such texts; unused memory is not touched. */
function placesOf(vocabSize: number, numBytes: number): Record<Place, number> {
  let end = 4 * HEADER_WORDS;
  const take = (size: number): number => {
    const place = alignUp(end, ROW_BYTES);
    end = place + size;
    return place;
  };
  const offsets = take(4 * (vocabSize + 1));
  const rows = take(ROW_BYTES * vocabSize);
  const spare = take(ROW_BYTES * vocabSize);
  end = Math.max(end, trieBytes({ vocabSize, numBytes, numNodes: numBytes + 1, numTokens: vocabSize }));
  const texts = take(numBytes + BEHIND_TEXTS);
  const ids = take(4 * vocabSize);
  const prefixes = take(2 * vocabSize);
  const path = take(4 * (MAX_GRAMMAR_TOKEN_BYTES + 1));
  const counts = take(COUNTS_BYTES);
  const pages = Math.ceil(end / PAGE_BYTES);
  return { offsets, rows, spare, texts, ids, prefixes, path, counts, pages };
}

type Place = 'offsets' | 'rows' | 'spare' | 'texts' | 'ids' | 'prefixes' | 'path' | 'counts' | 'pages';

function lengthOf({ offsets }: JoinedTexts, id: number): number {
  return (offsets[id + 1] as number) - (offsets[id] as number);
}
