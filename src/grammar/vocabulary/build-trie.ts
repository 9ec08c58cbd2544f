import { sortTexts, type TrieTexts } from './sort-texts.js';

/**
 * A trie of texts as flat tables. Nodes lie in the order of a walk that goes down first; node 0 is the root. What lies
 * below a node follows it, and so do the tokens of that part.
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

/** The trie of `texts`, none of which is empty. Texts that are equal share a node. */
export function buildTrie(texts: TrieTexts): Trie {
  const order = sortTexts(texts);
  const { bytes, starts, ends, ids } = texts;
  const prefixes = commonPrefixes(texts, order);
  const size = countNodes(texts, order, prefixes);
  const nodeBytes = new Uint8Array(size);
  const nodeDepths = new Uint16Array(size);
  const nodeEnds = new Int32Array(size);
  const firstTokens = new Int32Array(size + 1);
  const tokens = new Int32Array(order.length);
  /** The node at each depth of the text that was added last. */
  const path = [0];
  let next = 1;
  const close = (depth: number): void => {
    while (path.length > depth + 1) nodeEnds[path.pop() as number] = next;
  };
  for (let i = 0; i < order.length; i++) {
    const text = order[i] as number;
    const length = (ends[text] as number) - (starts[text] as number);
    const shared = prefixes[i] as number;
    close(shared);
    for (let depth = shared; depth < length; depth++) {
      nodeBytes[next] = bytes[(starts[text] as number) + depth] as number;
      nodeDepths[next] = depth + 1;
      firstTokens[next] = i;
      path.push(next++);
    }
    tokens[i] = ids[text] as number;
  }
  close(-1);
  firstTokens[size] = order.length;
  return { nodeBytes, nodeDepths, nodeEnds, firstTokens, tokens };
}

/** How many bytes each text in `order` begins with as the one before it. */
function commonPrefixes({ bytes, starts, ends }: TrieTexts, order: Int32Array): Int32Array {
  const prefixes = new Int32Array(order.length);
  for (let i = 1; i < order.length; i++) {
    const a = order[i - 1] as number;
    const b = order[i] as number;
    const startA = starts[a] as number;
    const startB = starts[b] as number;
    const shorter = Math.min((ends[a] as number) - startA, (ends[b] as number) - startB);
    let length = 0;
    while (length < shorter && bytes[startA + length] === bytes[startB + length]) length++;
    prefixes[i] = length;
  }
  return prefixes;
}

function countNodes({ starts, ends }: TrieTexts, order: Int32Array, prefixes: Int32Array): number {
  let count = 1;
  for (let i = 0; i < order.length; i++) {
    const text = order[i] as number;
    count += (ends[text] as number) - (starts[text] as number) - (prefixes[i] as number);
  }
  return count;
}
