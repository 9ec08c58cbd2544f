import { assert, checkedLater, flag, invalidValue, present } from '../../base/index.js';
import { checkTokenId } from '../check-token-id.js';
import { checkCompiled, type CompiledGrammar } from '../compile/index.js';
import type { Constraint, ConstraintKind } from '../constraint.js';
import type { GrammarVocabulary } from '../mask/index.js';
import type { WalkState } from '../run/index.js';
import { allowToken, createTokenMask, isAllowed, onlyAllowed, type TokenMask } from '../token-mask.js';

/** More tokens that end an answer than any model has. */
const MAX_END_TOKENS = 256;
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
  /** Tokens without an alternative need not be sampled. Default false. */
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
    if (this.#spec.skipsForced !== true || this.#state === undefined || this.#state.canEnd) return [];
    const only = onlyAllowed(this.allowed);
    return only === undefined || this.#spec.endTokenIds.includes(only) ? [] : [only];
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
    this.#state = isEnd
      ? undefined
      : present(state.advance(this.#vocabulary.bytesOf(tokenId)), 'only allowed tokens come');
  }

  #allow(state: WalkState): TokenMask {
    const mask = this.#vocabulary.mask(state);
    const mayEnd = state.canEnd || mask.every((word) => word === 0);
    if (!mayEnd && mask.length === this.#own.length) return mask;
    this.#own.fill(0);
    this.#own.set(mask);
    if (mayEnd) for (const end of this.#spec.endTokenIds) allowToken(this.#own, end);
    return this.#own;
  }
}
