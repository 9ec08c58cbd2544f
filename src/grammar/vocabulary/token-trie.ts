import { AppError, invalidValue, type JoinedTexts } from '../../base/index.js';
import { buildTrie, type Trie } from './build-trie.js';

/** The tokens of a vocabulary by their bytes, and as a trie: flat tables over one buffer, which threads may share. */
export interface TokenTrie extends Trie {
  /** Token ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /** [vocabSize + 1]: token `id` is `tokenBytes[tokenOffsets[id], tokenOffsets[id + 1])`; what has no bytes is never allowed. */
  readonly tokenOffsets: Int32Array;
  readonly tokenBytes: Uint8Array;
  /** The whole: what `openTokenTrie` takes. */
  readonly bytes: Uint8Array;
}

/** Larger than any vocabulary that is published: 262,144 tokens with gemma3. */
const MAX_VOCAB_SIZE = 1 << 22;
/** The longest token that a published vocabulary has is some 500 bytes of white space. */
const MAX_TOKEN_BYTES = 1 << 12;
const MAX_BYTES = 1 << 28;
/** "TTRI" and the version of the tables. */
const MAGIC = 0x49525454;
const VERSION = 1;
/** Int32 words before the tables: magic, version, checksum, vocabulary, bytes of tokens, nodes, tokens, 0. */
const HEADER_WORDS = 8;

/** Bytes that are made room for at first: a vocabulary of 150,000 tokens has a megabyte. */
const FIRST_BYTES = 1 << 20;

/**
 * The trie of a vocabulary: the bytes of each token within a text, by its id; undefined or empty for those that stand for no
 * text. They are taken one by one, since a list of them takes a hundred bytes a token. Errors: `invalid_value`.
 */
export function createTokenTrie(tokens: Iterable<Uint8Array | undefined>): TokenTrie {
  return layOutTokens(joinTokens(tokens));
}

/**
 * The same of tokens one behind the other, without those that are `hidden`. `vocabSize`: ids from theirs on up to it have no
 * bytes. Errors: `invalid_value`.
 */
export function createJoinedTrie(tokens: JoinedTexts, hidden: ReadonlySet<number>, vocabSize: number): TokenTrie {
  const count = tokens.offsets.length - 1;
  if (vocabSize > MAX_VOCAB_SIZE) throw tooMany(vocabSize);
  const size = Math.max(vocabSize, count);
  const offsets = new Int32Array(size + 1);
  const bytes = new Uint8Array(tokens.bytes.length);
  const isHidden = new Uint8Array(size);
  for (const id of hidden) isHidden[id] = 1;
  let end = 0;
  for (let id = 0; id < size; id++) {
    if (id < count && isHidden[id] === 0) {
      const last = tokens.offsets[id + 1] as number;
      const start = tokens.offsets[id] as number;
      if (last - start > MAX_TOKEN_BYTES) throw tooLong(id, last - start);
      for (let at = start; at < last; at++) bytes[end++] = tokens.bytes[at] as number;
    }
    offsets[id + 1] = end;
  }
  return layOutTokens({ offsets, bytes: bytes.subarray(0, offsets[size]) });
}

/** The trie of all tokens that have bytes. */
function layOutTokens({ offsets, bytes }: JoinedTexts): TokenTrie {
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

/** The tokens in a row, and where each begins. */
function joinTokens(tokens: Iterable<Uint8Array | undefined>): JoinedTexts {
  const offsets = [0];
  let bytes = new Uint8Array(FIRST_BYTES);
  let end = 0;
  for (const token of tokens) {
    const id = offsets.length - 1;
    if (id === MAX_VOCAB_SIZE) throw tooMany(id + 1);
    const length = token?.length ?? 0;
    if (length > MAX_TOKEN_BYTES) throw tooLong(id, length);
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

function tooMany(count: number): AppError {
  return invalidValue('tokens', count, `at most ${MAX_VOCAB_SIZE} tokens`);
}

function tooLong(id: number, length: number): AppError {
  return invalidValue(`tokens[${id}]`, length, `at most ${MAX_TOKEN_BYTES} bytes long`);
}

/** The trie in `bytes`, without a copy where they begin at a multiple of 4. Errors: `invalid_value` for other bytes. */
export function openTokenTrie(bytes: Uint8Array): TokenTrie {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  if (aligned.length < 4 * HEADER_WORDS) throw damaged(`it has ${bytes.length} bytes`);
  const header = new Int32Array(aligned.buffer, aligned.byteOffset, HEADER_WORDS);
  const [magic, version, checksum, vocabSize = 0, numBytes = 0, numNodes = 0, numTokens = 0] = header;
  if (magic !== MAGIC || version !== VERSION) throw damaged(`it is of another kind or version (${version})`);
  const counts = { vocabSize, numBytes, numNodes, numTokens };
  const isSound =
    Object.values(counts).every((count) => count >= 0 && count <= MAX_BYTES) && sizeOf(counts) === bytes.length;
  if (!isSound) throw damaged(`its length is ${bytes.length}`);
  const trie = viewsOf(aligned, counts);
  if (sumOf(aligned) !== checksum) throw damaged('its checksum differs');
  if (!isConsistent(trie)) throw damaged('its tables do not fit together');
  return trie;
}

interface Counts {
  readonly vocabSize: number;
  readonly numBytes: number;
  readonly numNodes: number;
  readonly numTokens: number;
}

function sizeOf({ vocabSize, numBytes, numNodes, numTokens }: Counts): number {
  return 4 * (HEADER_WORDS + vocabSize + 1 + 2 * numNodes + 1 + numTokens) + 3 * numNodes + numBytes;
}

function viewsOf(bytes: Uint8Array, { vocabSize, numBytes, numNodes, numTokens }: Counts): TokenTrie {
  let place = bytes.byteOffset + 4 * HEADER_WORDS;
  const words = (length: number): Int32Array => {
    place += 4 * length;
    return new Int32Array(bytes.buffer, place - 4 * length, length);
  };
  const tokenOffsets = words(vocabSize + 1);
  const nodeEnds = words(numNodes);
  const firstTokens = words(numNodes + 1);
  const tokens = words(numTokens);
  const nodeDepths = new Uint16Array(bytes.buffer, place, numNodes);
  const nodeBytes = new Uint8Array(bytes.buffer, place + 2 * numNodes, numNodes);
  const tokenBytes = new Uint8Array(bytes.buffer, place + 3 * numNodes, numBytes);
  return { vocabSize, tokenOffsets, nodeEnds, firstTokens, tokens, nodeDepths, nodeBytes, tokenBytes, bytes };
}

function layOut(own: Pick<TokenTrie, 'tokenOffsets' | 'tokenBytes'>, trie: Trie): TokenTrie {
  const counts = {
    vocabSize: own.tokenOffsets.length - 1,
    numBytes: own.tokenBytes.length,
    numNodes: trie.nodeEnds.length,
    numTokens: trie.tokens.length,
  };
  // Copying into shared memory is fast where both sides are aligned: all at once.
  const bytes = new Uint8Array(sizeOf(counts));
  const views = viewsOf(bytes, counts);
  views.tokenOffsets.set(own.tokenOffsets);
  views.tokenBytes.set(own.tokenBytes);
  views.nodeEnds.set(trie.nodeEnds);
  views.firstTokens.set(trie.firstTokens);
  views.tokens.set(trie.tokens);
  views.nodeDepths.set(trie.nodeDepths);
  views.nodeBytes.set(trie.nodeBytes);
  const { vocabSize, numBytes, numNodes, numTokens } = counts;
  new Int32Array(bytes.buffer, 0, HEADER_WORDS).set([
    MAGIC,
    VERSION,
    sumOf(bytes),
    vocabSize,
    numBytes,
    numNodes,
    numTokens,
    0,
  ]);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return viewsOf(shared, counts);
}

/** FNV-1a over the words behind the header and the bytes that are left (G. Fowler, L. C. Noll, K.-P. Vo). */
function sumOf(bytes: Uint8Array): number {
  const numWords = Math.floor(bytes.length / 4);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, numWords);
  let sum = 0x811c9dc5;
  for (let i = HEADER_WORDS; i < numWords; i++) sum = Math.imul(sum ^ (words[i] as number), 0x01000193);
  for (let i = 4 * numWords; i < bytes.length; i++) sum = Math.imul(sum ^ (bytes[i] as number), 0x01000193);
  return sum | 0;
}

/** Whether no walk through the tables leaves them, whoever has written the checksum. */
function isConsistent({
  vocabSize,
  tokenOffsets,
  tokenBytes,
  nodeEnds,
  nodeDepths,
  firstTokens,
  tokens,
}: TokenTrie): boolean {
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
