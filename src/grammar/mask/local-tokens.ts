import type { ParseTable, WorkMeter } from '../run/index.js';
import { allowToken, createTokenMask, type TokenMask } from '../token-mask.js';
import { buildTrie, type VocabularyTrie, type Trie } from '../vocabulary/index.js';
import { plainDepth } from './plain-depth.js';
import type { PlainTextTokens } from './plain-text.js';
import { walkTrie, type Paused, type Reached } from './walk-trie.js';

/** More exits than any rule has that is not open nearly everywhere. */
const MAX_EXITS = 1 << 13;
/** Exits from which on what lies below them is put together in a trie. */
const MIN_JOINED_EXITS = 8;
/** Tries of what lies below exits that are kept. */
const MAX_JOINED = 64;
/** Tokens below exits that are put together at most. */
const MAX_JOINED_TOKENS = 1 << 15;

/** The tokens that a state reads whatever stacks it is in, and where its rule ends within a token. */
export interface LocalTokens {
  /** The tokens within the rule, where they are many. */
  readonly mask: TokenMask | undefined;
  /** The tokens within the rule, where they are few. */
  readonly tokens: Int32Array;
  /** The continuation of the walk after the rule returns: a trie, and nodes of it. */
  readonly trie: Trie;
  readonly exits: Int32Array;
  /** Bytes that it takes. */
  readonly sizeBytes: number;
}

/** The sources of local tokens. */
export interface LocalSources {
  readonly trie: VocabularyTrie;
  readonly plain: PlainTextTokens;
  /** Tries of what lies below exits, by the exits. */
  readonly joined: Map<string, Trie>;
}

/**
 * The tokens of one state of the grammar. `isLast`: nothing follows its rule, so that its exits lead nowhere. Undefined where the rule may end so often that nothing is gained by it.
 */
export function* findLocalTokens(
  table: ParseTable,
  { trie, plain, joined }: LocalSources,
  state: number,
  isLast: boolean,
  meter: WorkMeter,
): Paused<LocalTokens | undefined> {
  const start = table.alone(state);
  const depth = plainDepth(table, start, isLast);
  const skipped = { longest: plain.longest, depth };
  const reached = yield* walkTrie(table, trie, start, skipped, isLast ? undefined : MAX_EXITS, meter);
  if (reached === undefined) return undefined;
  const below = joinExits(trie, reached, joined);
  const isDense = depth > 0 || reached.tokens.length > trie.vocabSize / 64;
  const mask = depth > 0 ? plain.mask(depth).slice() : isDense ? createTokenMask(trie.vocabSize) : undefined;
  if (mask !== undefined) for (const id of reached.tokens) allowToken(mask, id);
  const tokens = Int32Array.from(isDense ? [] : reached.tokens);
  const numNodes = below.trie === trie ? 0 : below.trie.nodeEnds.length;
  const sizeBytes = 4 * (tokens.length + (mask?.length ?? 0) + below.exits.length) + 16 * numNodes;
  return { mask, tokens, ...below, sizeBytes };
}

/**
 * The subtrees of many exits become a trie of their own, in which equal ends are one, unless it has nearly all tokens.
 * `joined` caches such tries, since all strings have the same exits.
 */
function joinExits(
  trie: VocabularyTrie,
  { exits }: Reached,
  joined: Map<string, Trie>,
): Pick<LocalTokens, 'trie' | 'exits'> {
  const { nodeEnds, firstTokens } = trie;
  const numBelow = exits.reduce(
    (sum, node) => sum + at(firstTokens, at(nodeEnds, node)) - at(firstTokens, node + 1),
    0,
  );
  if (exits.length < MIN_JOINED_EXITS || numBelow > MAX_JOINED_TOKENS) return { trie, exits: Int32Array.from(exits) };
  const key = exits.join();
  const below = joined.get(key) ?? trieBelow(trie, exits);
  if (joined.size === MAX_JOINED) joined.clear();
  joined.set(key, below);
  return { trie: below, exits: Int32Array.of(0) };
}

function trieBelow(
  { nodeDepths, nodeEnds, firstTokens, tokens, tokenOffsets, tokenBytes }: VocabularyTrie,
  exits: readonly number[],
): Trie {
  const starts: number[] = [];
  const ids: number[] = [];
  for (const node of exits) {
    const end = at(firstTokens, at(nodeEnds, node));
    for (let i = at(firstTokens, node + 1); i < end; i++) {
      const id = at(tokens, i);
      ids.push(id);
      starts.push(at(tokenOffsets, id) + (nodeDepths[node] as number));
    }
  }
  return buildTrie({
    bytes: tokenBytes,
    starts: Int32Array.from(starts),
    ends: Int32Array.from(ids, (id) => at(tokenOffsets, id + 1)),
    ids: Int32Array.from(ids),
  });
}

function at(values: Int32Array, index: number): number {
  return values[index] as number;
}
