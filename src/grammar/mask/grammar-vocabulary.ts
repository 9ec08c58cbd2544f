import { isDeepStrictEqual } from 'node:util';
import type { JoinedTexts } from '../../base/index.js';
import type { CompiledGrammar } from '../compile/index.js';
import { GrammarWalk, type WalkState } from '../run/index.js';
import type { TokenMask } from '../token-mask.js';
import { createJoinedTrie, createTokenTrie, openTokenTrie, type VocabularyTrie } from '../vocabulary/index.js';
import { GrammarMasks, type MaskCache } from './grammar-masks.js';
import { PlainTextTokens } from './plain-text.js';
import type { MaskMaker, MaskOrder } from './mask-maker.js';
import { finish, firstAllowed, type Paused } from './walk-trie.js';

/** Units of work that a mask may take: some third of a second. */
export const MASK_UNITS = 1 << 25;
/** Limit of a vocabulary's cached masks and parts, in bytes: 4,000 masks of 150,000 tokens. */
const MAX_KEPT_BYTES = 1 << 26;
/** Grammars whose walks are kept: as many as are answered at once, mostly. Each has tables of at most 6 MB. */
const MAX_GRAMMARS = 32;

/** The ids of a text; undefined where there is no tokenizer. */
export type EncodeTokens = (text: string) => readonly number[] | undefined;

/** Options of opening a vocabulary. */
export interface VocabularyParts {
  readonly encode?: EncodeTokens | undefined;
  readonly maker?: MaskMaker | undefined;
}

/** A token of line feeds. */
export interface SpaceToken {
  readonly id: number;
  /** Bytes. */
  readonly length: number;
}

/** Models write one or two between their reasoning and the answer. */
const MAX_SPACE_BYTES = 8;
/** White space that readers trim from the beginning of an answer: other white space would be a part of it. */
const LINE_FEED = 0x0a;

/**
 * The tokens of a model as grammars see them, with the masks that were made before. It belongs to one thread; the trie in
 * it may be shared by all.
 */
export class GrammarVocabulary {
  readonly trie: VocabularyTrie;
  /** Token ids are in [0, vocabSize). */
  readonly vocabSize: number;
  #masks = new WeakMap<GrammarWalk, GrammarMasks>();
  #cache: MaskCache | undefined;
  /** By id, the least recently used first. */
  readonly #walks = new Map<string, { grammar: CompiledGrammar; walk: GrammarWalk }>();
  #keptBytes = 0;
  #spaces: readonly SpaceToken[] | undefined;

  /** Text to ids, as the model's tokenizer has them within a text; undefined where it is not known. */
  readonly encode: EncodeTokens;

  readonly #maker: MaskMaker | undefined;

  /** `maker`: makes the masks that are ordered; without one they are made when they are used. */
  constructor(trie: VocabularyTrie, { encode = () => undefined, maker }: VocabularyParts = {}) {
    this.#maker = maker;
    this.trie = trie;
    this.vocabSize = trie.vocabSize;
    this.encode = encode;
  }

  /** The tokens that may come next in a text; not to be written to. Errors: `grammar_too_slow`. */
  mask(state: WalkState): TokenMask {
    const { meter } = state.walk;
    meter.left = MASK_UNITS;
    meter.pauseAt = -1;
    return finish(this.make(state));
  }

  /** Orders a mask for later: it is made beside other work, or at its use. */
  order(state: WalkState): MaskOrder {
    return this.#maker?.order(state) ?? new LateMask(() => this.mask(state));
  }

  /** The first tokens that may come next, at most `count`: sooner found than a mask. Errors: `grammar_too_slow`. */
  firstTokens(walkState: WalkState, count: number): readonly number[] {
    const { walk } = walkState;
    walk.allow(0);
    const { table, state } = walkState.locate();
    return firstAllowed(table, this.trie, state, count);
  }

  /** Makes a mask in parts, each within the present limit of the walk's meter. */
  make(state: WalkState): Paused<TokenMask> {
    if (this.#keptBytes > MAX_KEPT_BYTES) {
      this.#masks = new WeakMap();
      this.#cache?.local.clear();
      this.#keptBytes = 0;
    }
    this.#cache ??= {
      trie: this.trie,
      plain: new PlainTextTokens(this.trie),
      joined: new Map(),
      local: new Map(),
      newMask: createMaskSlabs(this.vocabSize),
      keep: (sizeBytes) => (this.#keptBytes += sizeBytes),
    };
    const { walk } = state;
    const masks = this.#masks.get(walk) ?? new GrammarMasks(walk, this.#cache);
    this.#masks.set(walk, masks);
    return masks.make(state);
  }

  /** The walk of a grammar, the same for all that bring an equal one under the same id. */
  walkOf(id: string, grammar: CompiledGrammar): GrammarWalk {
    const known = this.#walks.get(id);
    const isSame = known !== undefined && isDeepStrictEqual(known.grammar, grammar);
    const found = isSame ? known : { grammar, walk: new GrammarWalk(grammar) };
    this.#walks.delete(id);
    this.#walks.set(id, found);
    const [oldest] = this.#walks.keys();
    if (this.#walks.size > MAX_GRAMMARS && oldest !== undefined) this.#walks.delete(oldest);
    return found.walk;
  }

  /** The bytes of a token; none for one without text. */
  bytesOf(tokenId: number): Uint8Array {
    const { tokenOffsets, tokenBytes } = this.trie;
    return tokenBytes.subarray(tokenOffsets[tokenId] ?? 0, tokenOffsets[tokenId + 1] ?? 0);
  }

  /** The tokens of line feeds, of at most 8 bytes. */
  get spaces(): readonly SpaceToken[] {
    return (this.#spaces ??= findSpaces(this.trie));
  }

  /** The input of `openVocabulary`. It may be kept in a file, and shared by threads. */
  toBytes(): Uint8Array {
    return this.trie.bytes;
  }
}

function findSpaces({ vocabSize, tokenOffsets, tokenBytes }: VocabularyTrie): SpaceToken[] {
  const spaces: SpaceToken[] = [];
  for (let id = 0; id < vocabSize; id++) {
    const bytes = tokenBytes.subarray(tokenOffsets[id], tokenOffsets[id + 1]);
    const isSpace = bytes.length > 0 && bytes.length <= MAX_SPACE_BYTES && bytes.every((byte) => byte === LINE_FEED);
    if (isSpace) spaces.push({ id, length: bytes.length });
  }
  return spaces;
}

/**
 * The tokens of a vocabulary: the bytes of each within a text, by its id; undefined for those without text, which are
 * never allowed. Errors: `invalid_value`.
 */
export function createVocabulary(tokens: Iterable<Uint8Array | undefined>): GrammarVocabulary {
  return new GrammarVocabulary(createTokenTrie(tokens));
}

/**
 * The same for joined tokens, without those that are `hidden`. `vocabSize`: the model's, which may be larger than its
 * tokenizer's. Errors: `invalid_value`.
 */
export function createJoinedVocabulary(
  tokens: JoinedTexts,
  hidden: ReadonlySet<number>,
  vocabSize: number,
): GrammarVocabulary {
  return new GrammarVocabulary(createJoinedTrie(tokens, hidden, vocabSize));
}

/**
 * The vocabulary that `toBytes` gave, without a copy. With `encode` bytes that must come next become tokens. Errors:
 * `invalid_value` for bytes that are none.
 */
export function openVocabulary(bytes: Uint8Array, parts?: VocabularyParts): GrammarVocabulary {
  return new GrammarVocabulary(openTokenTrie(bytes), parts);
}

/** A mask that is made when it is used. */
class LateMask implements MaskOrder {
  readonly isReady = true;
  readonly #make: () => TokenMask;
  #made: TokenMask | undefined;

  constructor(make: () => TokenMask) {
    this.#make = make;
  }

  get mask(): TokenMask {
    return (this.#made ??= this.#make());
  }
}

/** Masks in one buffer: a buffer each would cost more than the mask. */
const MASKS = 16;

/** Makes masks that allow nothing, several in a buffer. */
function createMaskSlabs(vocabSize: number): () => TokenMask {
  const numWords = Math.ceil(vocabSize / 32);
  let slab = new Uint32Array(0);
  let next = 0;
  return () => {
    if (next === slab.length) {
      slab = new Uint32Array(MASKS * numWords);
      next = 0;
    }
    next += numWords;
    return slab.subarray(next - numWords, next);
  };
}
