import type { VocabularyTrie } from '../vocabulary/index.js';

/** Whether there is a token that begins with `bytes` and whose next byte `goesOn`. */
export function longerTokens(trie: VocabularyTrie, bytes: Uint8Array, goesOn: (byte: number) => boolean): boolean {
  const { nodeEnds, nodeBytes } = trie;
  let node: number | undefined = 0;
  for (const byte of bytes) {
    node = childOf(trie, node, byte);
    if (node === undefined) return false;
  }
  // The children of a node follow it; each ends where its next sibling begins.
  for (let child = node + 1; child < (nodeEnds[node] as number); child = nodeEnds[child] as number) {
    if (goesOn(nodeBytes[child] as number)) return true;
  }
  return false;
}

function childOf({ nodeEnds, nodeBytes }: VocabularyTrie, node: number, byte: number): number | undefined {
  for (let child = node + 1; child < (nodeEnds[node] as number); child = nodeEnds[child] as number) {
    if (nodeBytes[child] === byte) return child;
  }
  return undefined;
}
