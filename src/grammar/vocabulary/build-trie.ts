/** Texts by their bytes: text `i` is `bytes[starts[i], ends[i])`, and stands for the token `ids[i]`. */
export interface TrieTexts {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly ids: Int32Array;
}

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
  const size = countNodes(texts, order);
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
    const shared = i === 0 ? 0 : commonPrefix(texts, order[i - 1] as number, text);
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

/** Fewer texts are only compared: counting costs a pass over 65,536 counts. */
const MIN_COUNTED = 1 << 12;

/** The texts in the order of their bytes, then of their ids: counted by two bytes, then compared. */
function sortTexts(texts: TrieTexts): Int32Array {
  const { bytes, starts, ends, ids } = texts;
  const count = ids.length;
  if (count < MIN_COUNTED) return Int32Array.from(ids.keys()).toSorted((a, b) => compareTexts(texts, a, b));
  const keys = new Uint16Array(count);
  const offsets = new Int32Array((1 << 16) + 1);
  for (let text = 0; text < count; text++) {
    const start = starts[text] as number;
    const second = start + 1 < (ends[text] as number) ? (bytes[start + 1] as number) : 0;
    const key = ((bytes[start] as number) << 8) | second;
    keys[text] = key;
    offsets[key + 1] = (offsets[key + 1] as number) + 1;
  }
  for (let key = 0; key < 1 << 16; key++) offsets[key + 1] = (offsets[key + 1] as number) + (offsets[key] as number);
  const places = offsets.slice();
  const order = new Int32Array(count);
  for (let text = 0; text < count; text++) {
    const place = places[keys[text] as number] as number;
    order[place] = text;
    places[keys[text] as number] = place + 1;
  }
  for (let key = 0; key < 1 << 16; key++) {
    const from = offsets[key] as number;
    const to = offsets[key + 1] as number;
    if (to - from > 1) order.subarray(from, to).sort((a, b) => compareTexts(texts, a, b));
  }
  return order;
}

function compareTexts({ bytes, starts, ends, ids }: TrieTexts, a: number, b: number): number {
  const startA = starts[a] as number;
  const startB = starts[b] as number;
  const lengthA = (ends[a] as number) - startA;
  const lengthB = (ends[b] as number) - startB;
  const shorter = Math.min(lengthA, lengthB);
  for (let i = 0; i < shorter; i++) {
    const difference = (bytes[startA + i] as number) - (bytes[startB + i] as number);
    if (difference !== 0) return difference;
  }
  return lengthA - lengthB || (ids[a] as number) - (ids[b] as number);
}

function commonPrefix({ bytes, starts, ends }: TrieTexts, a: number, b: number): number {
  const startA = starts[a] as number;
  const startB = starts[b] as number;
  const shorter = Math.min((ends[a] as number) - startA, (ends[b] as number) - startB);
  let length = 0;
  while (length < shorter && bytes[startA + length] === bytes[startB + length]) length++;
  return length;
}

function countNodes(texts: TrieTexts, order: Int32Array): number {
  let count = 1;
  for (let i = 0; i < order.length; i++) {
    const text = order[i] as number;
    const shared = i === 0 ? 0 : commonPrefix(texts, order[i - 1] as number, text);
    count += (texts.ends[text] as number) - (texts.starts[text] as number) - shared;
  }
  return count;
}
