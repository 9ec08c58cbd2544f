import { type AppError, assert, checkedLater, flag, invalidValue, isAppError, present } from '../../base/index.js';
import { checkTokenId } from '../check-token-id.js';
import { checkCompiled, type CompiledGrammar } from '../compile/index.js';
import type { Constraint, ConstraintKind } from '../constraint.js';
import { forcedTokens } from '../forced/index.js';
import type { GrammarVocabulary, MaskOrder } from '../mask/index.js';
import type { WalkState } from '../run/index.js';
import { allowToken, createTokenMask, type TokenMask } from '../token-mask.js';

/** More tokens that end an answer than any model has. */
const MAX_END_TOKENS = 256;
/** Number of tokens before forced ones that are encoded with them. */
const TAIL_TOKENS = 8;
/** A hash in hexadecimal digits, with a word before it. */
const MAX_ID_LENGTH = 256;

/** A text that a grammar allows. */
export interface GrammarSpec {
  /** Which constraint it is. */
  readonly kind: 'grammar';
  /** The result of `compileGrammar`; it is never changed. */
  readonly grammar: CompiledGrammar;
  /** Names the grammar's contents, such as a hash of its source: sequences of one id share their caches. */
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
  check({ grammar: compiled, id, endTokenIds }, { vocabSize, takesGrammars = false, isChecked }) {
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
    if (isChecked?.(id, compiled) !== true) checkCompiled('constraint.grammar', compiled);
  },
  create(spec, { vocabSize, vocabulary }) {
    return new GrammarConstraint(spec, vocabSize, present(vocabulary, 'a grammar is checked to have a vocabulary'));
  },
};

/** Limit of forced bytes at once: the bytes after them are found later. */
const MAX_FORCED_BYTES = 512;

class GrammarConstraint implements Constraint {
  readonly #spec: GrammarSpec;
  readonly #vocabulary: GrammarVocabulary;
  /** The mask where it is not the vocabulary's own. */
  readonly #own: TokenMask;
  /** Undefined once an end token has come, or the text has become too slow to be followed. */
  #state: WalkState | undefined;
  /** Why it is not followed any more. */
  #failure: AppError | undefined;
  /** Undefined until it is wanted. */
  #order: MaskOrder | undefined;
  /** Likewise. */
  #allowed: TokenMask | undefined;
  /** Likewise. */
  #forced: readonly number[] | undefined;
  /** Likewise. */
  #ended: boolean | undefined;
  /** The bytes of the last tokens. */
  #tail: Uint8Array[] = [];

  constructor(spec: GrammarSpec, vocabSize: number, vocabulary: GrammarVocabulary) {
    assert(vocabulary.vocabSize <= vocabSize, 'a vocabulary has no more tokens than the model has logits');
    this.#spec = spec;
    this.#vocabulary = vocabulary;
    this.#own = createTokenMask(vocabSize);
    this.#try(() => (this.#state = vocabulary.walkOf(spec.id, spec.grammar).start()));
  }

  get allowed(): TokenMask {
    if (this.#failure !== undefined) throw this.#failure;
    return (this.#allowed ??= this.#state === undefined ? this.#own.fill(0) : this.#allow(this.#state));
  }

  get isReady(): boolean {
    if (this.#state === undefined || this.forced.length > 0) return true;
    return this.#ordered(this.#state).isReady;
  }

  prepare(drafts: readonly number[]): void {
    if (this.#state === undefined) return;
    if (this.forced.length === 0) this.#ordered(this.#state);
    let state: WalkState | undefined = this.#state;
    // A text that is too slow to prepare fails only when it is reached.
    this.#try(
      () => {
        for (const tokenId of drafts) {
          state = state?.advance(this.#vocabulary.bytesOf(tokenId));
          if (state === undefined || state.isOver) return;
          this.#vocabulary.order(state);
        }
      },
      () => undefined,
    );
  }

  get forced(): readonly number[] {
    const state = this.#state;
    if (this.#spec.skipsForced !== true || state === undefined) return [];
    if (this.#forced === undefined) this.#try(() => (this.#forced = this.#force(state)));
    return this.#forced ?? [];
  }

  get forcedBytes(): Uint8Array {
    return this.#state?.forcedBytes() ?? new Uint8Array();
  }

  get ended(): boolean {
    if (this.#failure !== undefined) return false;
    const state = this.#state;
    if (state === undefined || state.isOver) return true;
    // Without a token that ends, what cannot go on has come to its end.
    if (this.#spec.endTokenIds.length > 0) return false;
    if (this.#ended === undefined) this.#try(() => (this.#ended = this.#vocabulary.firstTokens(state, 1).length === 0));
    return this.#ended ?? false;
  }

  allows(tokenId: number): boolean {
    const state = this.#state;
    if (state === undefined) return false;
    let isAllowed = false;
    this.#try(() => (isAllowed = this.#isText(state, tokenId) || this.#isEnd(state, tokenId)));
    return isAllowed;
  }

  advance(tokenId: number): void {
    if (this.#failure !== undefined) return;
    const state = present(this.#state, 'nothing comes after an end token');
    this.#order = undefined;
    this.#allowed = undefined;
    this.#forced = undefined;
    this.#ended = undefined;
    const bytes = this.#vocabulary.bytesOf(tokenId);
    this.#try(() => {
      const next = bytes.length === 0 ? undefined : state.advance(bytes);
      // A token that may end the text may be one of its tokens as well, in a vocabulary where it has bytes.
      assert(next !== undefined || this.#spec.endTokenIds.includes(tokenId), 'only allowed tokens come');
      this.#state = next;
    });
    this.#tail.push(bytes);
    if (this.#tail.length > TAIL_TOKENS) this.#tail.shift();
  }

  #ordered(state: WalkState): MaskOrder {
    return (this.#order ??= this.#vocabulary.order(state));
  }

  #isText(state: WalkState, tokenId: number): boolean {
    const bytes = this.#vocabulary.bytesOf(tokenId);
    return bytes.length > 0 && state.advance(bytes) !== undefined;
  }

  #isEnd(state: WalkState, tokenId: number): boolean {
    if (!this.#spec.endTokenIds.includes(tokenId)) return false;
    return state.canEnd || this.#vocabulary.firstTokens(state, 1).length === 0;
  }

  /** Runs work that may exceed its limit; then the text is not followed any more. */
  #try(work: () => void, fail: (error: AppError) => void = (error) => this.#fail(error)): void {
    try {
      work();
    } catch (error) {
      if (!isAppError(error) || error.code !== 'grammar_too_slow') throw error;
      fail(error);
    }
  }

  #fail(error: AppError): void {
    this.#failure = error;
    this.#state = undefined;
  }

  /** The tokens of the bytes that must come, in the way that the model writes them; else the only one that may come. */
  #force(state: WalkState): readonly number[] {
    if (state.canEnd) return [];
    const bytes = state.forcedBytes(MAX_FORCED_BYTES);
    if (bytes.length === 0) return [];
    const tokens = forcedTokens(this.#vocabulary, state, bytes, this.#tail);
    if (tokens.length > 0) return tokens;
    const [only, other] = this.#vocabulary.firstTokens(state, 2);
    return only === undefined || other !== undefined || this.#spec.endTokenIds.includes(only) ? [] : [only];
  }

  #allow(state: WalkState): TokenMask {
    const [next] = this.forced;
    if (this.#failure !== undefined) throw this.#failure;
    if (next !== undefined) {
      allowToken(this.#own.fill(0), next);
      return this.#own;
    }
    const { mask } = this.#ordered(state);
    const mayEnd = state.canEnd || mask.every((word) => word === 0);
    if (!mayEnd && mask.length === this.#own.length) return mask;
    this.#own.fill(0);
    this.#own.set(mask);
    if (mayEnd) for (const end of this.#spec.endTokenIds) allowToken(this.#own, end);
    return this.#own;
  }
}
