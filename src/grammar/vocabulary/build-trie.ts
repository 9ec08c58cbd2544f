import { keyByte, KEYS_BYTES, sharedKeyBytes, type SortedTexts, type TrieTexts } from './sort-keys.js';
import { sortTexts } from './sort-texts.js';

/**
 * A trie of texts as flat tables. Nodes are in depth-first order; node 0 is the root. A node's subtree follows it, and
 * so do the tokens of the subtree.
 */
export interface Trie {
  /** [nodes]: the byte that leads to the node. */
  readonly nodeBytes: Uint8Array;
  /** [nodes]: bytes on the way from the root. */
  readonly nodeDepths: Uint16Array;
  /** [nodes]: the first node that does not lie below. */
  readonly nodeEnds: Int32Array;
  /** [nodes + 1]: the tokens that end in a node begin here in `tokens`. */
  readonly firstTokens: Int32Array;
  /** Token ids. */
  readonly tokens: Int32Array;
}

/** The trie of `texts`, none of which is empty. Equal texts share a node. */
export function buildTrie(texts: TrieTexts): Trie {
  const rows = inOrder(texts);
  const { ids, starts, lengths } = rows;
  const prefixes = commonPrefixes(rows);
  const { size, longest } = measure(lengths, prefixes);
  const nodeBytes = new Uint8Array(size);
  const nodeDepths = new Uint16Array(size);
  const nodeEnds = new Int32Array(size);
  const firstTokens = new Int32Array(size + 1);
  /** The node at each depth of the text that was added last, which has `last` bytes. */
  const path = new Int32Array(longest + 1);
  let last = 0;
  let next = 1;
  for (let i = 0; i < ids.length; i++) {
    const length = lengths[i] as number;
    const shared = prefixes[i] as number;
    for (let depth = last; depth > shared; depth--) nodeEnds[path[depth] as number] = next;
    for (let depth = shared; depth < length; depth++) {
      nodeBytes[next] =
        depth < KEYS_BYTES ? keyByte(rows, i, depth) : (texts.bytes[(starts[i] as number) + depth] as number);
      nodeDepths[next] = depth + 1;
      firstTokens[next] = i;
      path[depth + 1] = next++;
    }
    last = length;
  }
  for (let depth = last; depth >= 0; depth--) nodeEnds[path[depth] as number] = next;
  firstTokens[size] = ids.length;
  return { nodeBytes, nodeDepths, nodeEnds, firstTokens, tokens: ids };
}

/**
 * Texts in their order. Data that is read repeatedly lies contiguously, since fetching it from all over the memory
 * takes longer.
 */
interface Rows extends SortedTexts {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
  readonly ids: Int32Array;
}

function inOrder(texts: TrieTexts): Rows {
  const sorted = sortTexts(texts);
  const { order } = sorted;
  const starts = new Int32Array(order.length);
  const lengths = new Int32Array(order.length);
  const ids = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) {
    const text = order[i] as number;
    const start = texts.starts[text] as number;
    starts[i] = start;
    lengths[i] = (texts.ends[text] as number) - start;
    ids[i] = texts.ids[text] as number;
  }
  return { ...sorted, bytes: texts.bytes, starts, lengths, ids };
}

/** How many bytes each text begins with as the one before it. */
function commonPrefixes(rows: Rows): Int32Array {
  const { bytes, starts, lengths } = rows;
  const prefixes = new Int32Array(lengths.length);
  for (let i = 1; i < prefixes.length; i++) {
    const shorter = Math.min(lengths[i - 1] as number, lengths[i] as number);
    let length = Math.min(sharedKeyBytes(rows, i - 1, i), shorter);
    if (length === KEYS_BYTES) {
      const startA = starts[i - 1] as number;
      const startB = starts[i] as number;
      while (length < shorter && bytes[startA + length] === bytes[startB + length]) length++;
    }
    prefixes[i] = length;
  }
  return prefixes;
}

/** How many nodes there are, and how many bytes the longest text has. */
function measure(lengths: Int32Array, prefixes: Int32Array): { readonly size: number; readonly longest: number } {
  let size = 1;
  let longest = 0;
  for (let i = 0; i < lengths.length; i++) {
    const length = lengths[i] as number;
    size += length - (prefixes[i] as number);
    longest = Math.max(longest, length);
  }
  return { size, longest };
}
