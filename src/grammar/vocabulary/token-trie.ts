import { AppError, type JoinedTexts } from '../../base/index.js';
import { createFastTrie } from './fast-trie.js';
import { createSlowTrie } from './slow-trie.js';
import { HEADER_WORDS, MAGIC, trieBytes, sumOf, TRIE_FORMAT, viewsOf, type VocabularyTrie } from './trie-layout.js';
import { MAX_GRAMMAR_TOKEN_BYTES, MAX_GRAMMAR_VOCAB_SIZE, tooLong, tooMany } from './vocabulary-limits.js';

const MAX_BYTES = 1 << 28;
/** Bytes that are made room for at first: a vocabulary of 150,000 tokens has a megabyte. */
const FIRST_BYTES = 1 << 20;
/** Tries of fewer tokens are made before WASM is compiled. */
const FAST_FROM_TOKENS = 1 << 13;
/** The largest tables of this many bytes, and the scratch beside them, fit in a memory of 4 GiB. */
const FAST_UP_TO_BYTES = 1 << 27;

/**
 * The trie of a vocabulary: the bytes of each token within a text, by its id; undefined or empty for those without
 * text. They are taken one by one, since a list of them takes a hundred bytes a token. Errors: `invalid_value`.
 */
export function createTokenTrie(tokens: Iterable<Uint8Array | undefined>): VocabularyTrie {
  return createJoinedTrie(joinTokens(tokens), new Set(), 0);
}

/**
 * The same for joined tokens, without those that are `hidden`. `vocabSize`: ids from theirs on up to it have no bytes.
 * Errors: `invalid_value`.
 */
export function createJoinedTrie(tokens: JoinedTexts, hidden: ReadonlySet<number>, vocabSize: number): VocabularyTrie {
  if (vocabSize > MAX_GRAMMAR_VOCAB_SIZE) throw tooMany(vocabSize);
  const size = Math.max(vocabSize, tokens.offsets.length - 1);
  const isFast = size >= FAST_FROM_TOKENS && tokens.bytes.length <= FAST_UP_TO_BYTES;
  return (isFast ? createFastTrie : createSlowTrie)(tokens, hidden, size);
}

/** The tokens in a row, and where each begins. */
function joinTokens(tokens: Iterable<Uint8Array | undefined>): JoinedTexts {
  const offsets = [0];
  let bytes = new Uint8Array(FIRST_BYTES);
  let end = 0;
  for (const token of tokens) {
    const id = offsets.length - 1;
    if (id === MAX_GRAMMAR_VOCAB_SIZE) throw tooMany(id + 1);
    const length = token?.length ?? 0;
    if (length > MAX_GRAMMAR_TOKEN_BYTES) throw tooLong(id, length);
    if (end + length > bytes.length) {
      const larger = new Uint8Array(2 * bytes.length);
      larger.set(bytes);
      bytes = larger;
    }
    if (token !== undefined) bytes.set(token, end);
    end += length;
    offsets.push(end);
  }
  return { offsets: Int32Array.from(offsets), bytes: bytes.slice(0, end) };
}

/** The trie in `bytes`, without a copy where they begin at a multiple of 4. Errors: `invalid_value` for other bytes. */
export function openTokenTrie(bytes: Uint8Array): VocabularyTrie {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  if (aligned.length < 4 * HEADER_WORDS) throw damaged(`it has ${bytes.length} bytes`);
  const header = new Int32Array(aligned.buffer, aligned.byteOffset, HEADER_WORDS);
  const [magic, version, checksum, vocabSize = 0, numBytes = 0, numNodes = 0, numTokens = 0] = header;
  if (magic !== MAGIC || version !== TRIE_FORMAT) throw damaged(`it is of another kind or version (${version})`);
  const counts = { vocabSize, numBytes, numNodes, numTokens };
  const isSound =
    Object.values(counts).every((count) => count >= 0 && count <= MAX_BYTES) && trieBytes(counts) === bytes.length;
  if (!isSound) throw damaged(`its length is ${bytes.length}`);
  const trie = viewsOf(aligned, counts);
  if (sumOf(aligned) !== checksum) throw damaged('its checksum differs');
  if (!isConsistent(trie)) throw damaged('its tables do not fit together');
  return trie;
}

/** Whether every walk stays within the tables, even if the checksum was forged. */
function isConsistent({
  vocabSize,
  tokenOffsets,
  tokenBytes,
  nodeEnds,
  nodeDepths,
  firstTokens,
  tokens,
}: VocabularyTrie): boolean {
  const numNodes = nodeEnds.length;
  return (
    numNodes > 0 &&
    isRising(tokenOffsets, tokenBytes.length) &&
    isRising(firstTokens, tokens.length) &&
    tokens.every((id) => id >= 0 && id < vocabSize) &&
    nodeEnds.every((end, node) => end > node && end <= numNodes) &&
    nodeDepths.every((depth, node) =>
      node === 0 ? depth === 0 : depth > 0 && depth <= (nodeDepths[node - 1] ?? 0) + 1,
    )
  );
}

function isRising(offsets: Int32Array, last: number): boolean {
  return offsets[0] === 0 && offsets.at(-1) === last && offsets.every((offset, i) => offset >= (offsets[i - 1] ?? 0));
}

function damaged(problem: string): AppError {
  return new AppError('invalid_value', `a stored vocabulary cannot be used: ${problem}; make it anew from the tokens`);
}
