import type { OptionTable } from '../base/index.js';
import type { CompiledGrammar } from './compile/index.js';
import type { GrammarVocabulary } from './mask/index.js';
import type { TokenMask } from './token-mask.js';

/**
 * The tokens that may come next in one sequence. It depends only on the tokens that it was given, so that a sequence
 * that is computed again has the same constraint.
 */
export interface Constraint {
  /**
   * The tokens that may come next, at least one; undefined: all. Valid until `advance`, never written to; made now where
   * it is not ready. Errors: `grammar_too_slow`.
   */
  readonly allowed: TokenMask | undefined;
  /**
   * Tokens that come next for any logits, in order; mostly none. `allowed` has only the first of them. The engine may
   * append them without sampling, and need not.
   */
  readonly forced: readonly number[];
  /** Nothing may follow: the sequence has come to its end. */
  readonly ended: boolean;
  /** Bytes that the text goes on with whatever the logits say; absent or empty where that is not known. */
  readonly forcedBytes?: Uint8Array;
  /** Whether `allowed` is at hand: it may be in the making elsewhere, once `prepare` was called. Absent: always. */
  readonly isReady?: boolean;
  /** Begins to make `allowed`, and the masks after each of `drafts`, as far as they are allowed. */
  prepare?(drafts: readonly number[]): void;
  /** Whether a token is allowed, found without the others. Absent: ask `allowed`. */
  allows?(tokenId: number): boolean;
  /** Takes one of the allowed tokens. `allowed` throws the errors of this step. */
  advance(tokenId: number): void;
}

/** The surroundings that a constraint is checked against. */
export interface CheckSurroundings {
  /** Token ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /** Whether there is a vocabulary where the constraint will be made, so that it may be a grammar. Default false. */
  readonly takesGrammars?: boolean | undefined;
  /** Whether this very grammar was checked under this id before. Default: none was. */
  readonly isChecked?: ((id: string, grammar: CompiledGrammar) => boolean) | undefined;
}

/** The surroundings of a new constraint. */
export interface ConstraintSurroundings {
  /** Token ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /** The tokens' bytes, for constraints on text. */
  readonly vocabulary?: GrammarVocabulary | undefined;
}

/** One kind of constraint, exported by a file of the registry `constraints`. `inner` does the same for a constraint within. */
export interface ConstraintKind<Spec, Inner = never> {
  /** The fields of a spec; their values are for `check`. */
  readonly fields: OptionTable<Spec>;
  /** Refuses a spec that is no such constraint. Errors: `invalid_value`. */
  readonly check: (spec: Spec, surroundings: CheckSurroundings, inner: (spec: Inner) => void) => void;
  /** At its beginning. The spec is checked. */
  readonly create: (spec: Spec, surroundings: ConstraintSurroundings, inner: (spec: Inner) => Constraint) => Constraint;
}
