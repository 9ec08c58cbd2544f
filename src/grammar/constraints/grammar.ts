import { assert, checkedLater, flag, invalidValue, present } from '../../base/index.js';
import { checkTokenId } from '../check-token-id.js';
import { checkCompiled, type CompiledGrammar } from '../compile/index.js';
import type { Constraint, ConstraintKind } from '../constraint.js';
import { forcedTokens } from '../forced/index.js';
import type { GrammarVocabulary } from '../mask/index.js';
import type { WalkState } from '../run/index.js';
import { allowToken, createTokenMask, isAllowed, onlyAllowed, type TokenMask } from '../token-mask.js';

/** More tokens that end an answer than any model has. */
const MAX_END_TOKENS = 256;
/** Tokens behind which forced ones are encoded. */
const TAIL_TOKENS = 8;
/** A hash in hexadecimal digits, with a word before it. */
const MAX_ID_LENGTH = 256;

/** A text that a grammar allows. */
export interface GrammarSpec {
  /** Which constraint it is. */
  readonly kind: 'grammar';
  /** What `compileGrammar` made. */
  readonly grammar: CompiledGrammar;
  /** Names the grammar's contents, such as a hash of what it was compiled from: sequences of one id share their caches. */
  readonly id: string;
  /** Tokens that may come where the text may end, and after which nothing comes; also where no token goes on. */
  readonly endTokenIds: readonly number[];
  /**
   * Bytes without an alternative come in the tokens in which the model writes them, which need not be sampled. Default
   * false: each token is sampled, and may be any that fits.
   */
  readonly skipsForced?: boolean;
}

/** Texts of a grammar, by the bytes of their tokens. */
export const grammar: ConstraintKind<GrammarSpec> = {
  fields: { kind: checkedLater, grammar: checkedLater, id: checkedLater, endTokenIds: checkedLater, skipsForced: flag },
  check({ grammar: compiled, id, endTokenIds }, { vocabSize, takesGrammars = false }) {
    if (!takesGrammars) {
      throw invalidValue('constraint.kind', 'grammar', 'another one: this model was opened without its vocabulary');
    }
    if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) {
      throw invalidValue('constraint.id', id, `a string of 1 to ${MAX_ID_LENGTH} characters`);
    }
    if (!Array.isArray(endTokenIds) || endTokenIds.length > MAX_END_TOKENS) {
      throw invalidValue('constraint.endTokenIds', endTokenIds, `a list of at most ${MAX_END_TOKENS} token ids`);
    }
    endTokenIds.forEach((end, index) => checkTokenId(`constraint.endTokenIds[${index}]`, end, vocabSize));
    checkCompiled('constraint.grammar', compiled);
  },
  create(spec, { vocabSize, vocabulary }) {
    return new GrammarConstraint(spec, vocabSize, present(vocabulary, 'a grammar is checked to have a vocabulary'));
  },
};

class GrammarConstraint implements Constraint {
  readonly #spec: GrammarSpec;
  readonly #vocabulary: GrammarVocabulary;
  /** The mask where it is not the vocabulary's own. */
  readonly #own: TokenMask;
  /** Undefined once an end token has come. */
  #state: WalkState | undefined;
  /** Undefined until it is asked for. */
  #allowed: TokenMask | undefined;
  /** Likewise. */
  #forced: readonly number[] | undefined;
  /** The bytes of the last tokens. */
  #tail: Uint8Array[] = [];

  constructor(spec: GrammarSpec, vocabSize: number, vocabulary: GrammarVocabulary) {
    assert(vocabulary.vocabSize <= vocabSize, 'a vocabulary has no more tokens than the model has logits');
    this.#spec = spec;
    this.#vocabulary = vocabulary;
    this.#own = createTokenMask(vocabSize);
    this.#state = vocabulary.walkOf(spec.id, spec.grammar).start();
  }

  get allowed(): TokenMask {
    return (this.#allowed ??= this.#state === undefined ? this.#own.fill(0) : this.#allow(this.#state));
  }

  get forced(): readonly number[] {
    if (this.#spec.skipsForced !== true || this.#state === undefined) return [];
    return (this.#forced ??= this.#force(this.#state));
  }

  get forcedBytes(): Uint8Array {
    return this.#state?.forcedBytes() ?? new Uint8Array();
  }

  get ended(): boolean {
    if (this.#state === undefined || this.#state.isOver) return true;
    // Without a token that ends, what cannot go on has come to its end.
    return this.#spec.endTokenIds.length === 0 && this.allowed.every((word) => word === 0);
  }

  advance(tokenId: number): void {
    const { endTokenIds } = this.#spec;
    const state = present(this.#state, 'nothing comes after an end token');
    // A token that may end the text may be one of its tokens as well, in a vocabulary where it has bytes.
    const isEnd = endTokenIds.includes(tokenId) && !isAllowed(this.#vocabulary.mask(state), tokenId);
    this.#allowed = undefined;
    this.#forced = undefined;
    if (isEnd) {
      this.#state = undefined;
      return;
    }
    const bytes = this.#vocabulary.bytesOf(tokenId);
    this.#state = present(state.advance(bytes), 'only allowed tokens come');
    this.#tail.push(bytes);
    if (this.#tail.length > TAIL_TOKENS) this.#tail.shift();
  }

  /** The tokens of the bytes that must come, in the way that the model writes them; else the only one that may come. */
  #force(state: WalkState): readonly number[] {
    if (state.canEnd) return [];
    const bytes = state.forcedBytes();
    if (bytes.length === 0) return [];
    const tokens = forcedTokens(this.#vocabulary, state, bytes, this.#tail);
    if (tokens.length > 0) return tokens;
    const only = onlyAllowed(this.#vocabulary.mask(state));
    return only === undefined || this.#spec.endTokenIds.includes(only) ? [] : [only];
  }

  #allow(state: WalkState): TokenMask {
    const [next] = this.forced;
    if (next !== undefined) {
      allowToken(this.#own.fill(0), next);
      return this.#own;
    }
    const mask = this.#vocabulary.mask(state);
    const mayEnd = state.canEnd || mask.every((word) => word === 0);
    if (!mayEnd && mask.length === this.#own.length) return mask;
    this.#own.fill(0);
    this.#own.set(mask);
    if (mayEnd) for (const end of this.#spec.endTokenIds) allowToken(this.#own, end);
    return this.#own;
  }
}
