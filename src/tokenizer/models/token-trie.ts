import type { JoinedTexts } from '../../base/index.js';
import type { SectionReader, Sections } from '../file/binary.js';
import { tokenizerInvalid } from '../errors.js';
import { MAX_TRIE_NODES } from '../limits.js';
import { readPairs, writePairs } from '../tokens/pair-table.js';

/** Tokens by their bytes, one step a byte. Node 0 is the beginning. */
export interface TokenTrie {
  /** The node after `byte`, or -1. */
  next(node: number, byte: number): number;
  /** node → the token that ends there, or -1. */
  readonly ids: Int32Array;
}

/** Lays out the trie of those tokens that `isIn` takes, by id; of two with the same bytes the later counts. Errors: `tokenizer_invalid` past the limit. */
export function writeTrie({ bytes, offsets }: JoinedTexts, isIn: (id: number) => boolean): Sections {
  const lefts: number[] = [];
  const rights: number[] = [];
  const values: number[] = [];
  const children = new Map<number, number>();
  const ids: number[] = [-1];
  for (let id = 0; id + 1 < offsets.length; id++) {
    if (!isIn(id)) continue;
    let node = 0;
    for (let at = offsets[id] as number; at < (offsets[id + 1] as number); at++) {
      const byte = bytes[at] as number;
      let child = children.get(256 * node + byte);
      if (child === undefined) {
        child = ids.length;
        if (child === MAX_TRIE_NODES)
          throw tokenizerInvalid('model.vocab', `its tokens have more than ${MAX_TRIE_NODES} beginnings`);
        children.set(256 * node + byte, child);
        lefts.push(node);
        rights.push(byte);
        values.push(child);
        ids.push(-1);
      }
      node = child;
    }
    if (node > 0) ids[node] = id;
  }
  return { trieTable: writePairs({ lefts, rights, values }, 'model.vocab'), trieIds: Int32Array.from(ids) };
}

/** Checks every node and id. Errors: `tokenizer_invalid`. */
export function readTrie(sections: SectionReader, vocabSize: number): TokenTrie {
  const ids = sections.words('trieIds');
  if (ids.length < 1 || ids.length > MAX_TRIE_NODES || ids.some((id) => id < -1 || id >= vocabSize))
    throw tokenizerInvalid('tokenizer.bin', 'the table trieIds is out of shape');
  const { valueOf } = readPairs(sections.words('trieTable'), ids.length, ids.length, 'trieTable');
  return { next: valueOf, ids };
}
