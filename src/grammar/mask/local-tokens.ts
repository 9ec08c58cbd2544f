import type { ParseTable } from '../run/index.js';
import { allowToken, createTokenMask, type TokenMask } from '../token-mask.js';
import { buildTrie, type TokenTrie, type Trie } from '../vocabulary/index.js';
import { walkTrie, type Reached } from './walk-trie.js';

/** More exits than any rule has that is not open nearly everywhere. */
const MAX_EXITS = 1 << 13;
/** Exits from which on what lies below them is put together in a trie. */
const MIN_JOINED_EXITS = 8;
/** Tokens below exits that are put together at most. */
const MAX_JOINED_TOKENS = 1 << 15;

/** The tokens that a state reads whatever stacks it is in, and where its rule ends within a token. */
export interface LocalTokens {
  /** The tokens within the rule, where they are many. */
  readonly mask: TokenMask | undefined;
  /** The tokens within the rule, where they are few. */
  readonly tokens: Int32Array;
  /** Where the walk goes on with what the rule returns to: a trie, and nodes of it. */
  readonly trie: Trie;
  readonly exits: Int32Array;
  /** Bytes that it takes. */
  readonly sizeBytes: number;
}

/** The tokens of one state of the grammar; undefined where the rule may end so often that nothing is gained by it. */
export function findLocalTokens(table: ParseTable, trie: TokenTrie, state: number): LocalTokens | undefined {
  const reached = walkTrie(table, trie, table.alone(state), MAX_EXITS);
  if (reached === undefined) return undefined;
  const below = joinExits(trie, reached);
  if (below === undefined) return undefined;
  const numWords = Math.ceil(trie.vocabSize / 32);
  const isDense = reached.tokens.length > numWords / 2;
  const mask = isDense ? createTokenMask(trie.vocabSize) : undefined;
  if (mask !== undefined) for (const id of reached.tokens) allowToken(mask, id);
  const tokens = Int32Array.from(isDense ? [] : reached.tokens);
  const numNodes = below.trie === trie ? 0 : below.trie.nodeEnds.length;
  const sizeBytes = 4 * (tokens.length + (mask?.length ?? 0) + below.exits.length) + 16 * numNodes;
  return { mask, tokens, ...below, sizeBytes };
}

/** Few exits stay nodes of the whole trie; what lies below many becomes a trie of its own, in which equal ends are one. */
function joinExits(trie: TokenTrie, { exits }: Reached): Pick<LocalTokens, 'trie' | 'exits'> | undefined {
  if (exits.length < MIN_JOINED_EXITS) return { trie, exits: Int32Array.from(exits) };
  const { nodeDepths, nodeEnds, firstTokens, tokens, tokenOffsets, tokenBytes } = trie;
  const starts: number[] = [];
  const ids: number[] = [];
  for (const node of exits) {
    const depth = nodeDepths[node] as number;
    const end = firstTokens[nodeEnds[node] as number] as number;
    for (let i = firstTokens[node + 1] as number; i < end; i++) {
      const id = tokens[i] as number;
      ids.push(id);
      starts.push((tokenOffsets[id] as number) + depth);
    }
    if (ids.length > MAX_JOINED_TOKENS) return undefined;
  }
  const joined = buildTrie({
    bytes: tokenBytes,
    starts: Int32Array.from(starts),
    ends: Int32Array.from(ids, (id) => tokenOffsets[id + 1] as number),
    ids: Int32Array.from(ids),
  });
  return { trie: joined, exits: Int32Array.of(0) };
}
