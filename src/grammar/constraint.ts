import type { OptionTable } from '../base/index.js';
import type { GrammarVocabulary } from './mask/index.js';
import type { TokenMask } from './token-mask.js';

/**
 * Which tokens may come next in one sequence. It depends on the tokens that it was told of and on nothing else, so that
 * a sequence that is computed again is constrained as it was.
 */
export interface Constraint {
  /**
   * The tokens that may come next, at least one; undefined: all. Valid until `advance`, never written to; made now where
   * it is not ready. Errors: `grammar_too_slow`.
   */
  readonly allowed: TokenMask | undefined;
  /**
   * Tokens that come next whatever the logits say, in order; mostly none. The first of them is all that `allowed` has.
   * Whoever runs the sequence may append them without sampling, and need not.
   */
  readonly forced: readonly number[];
  /** Nothing may follow: the sequence has come to its end. */
  readonly ended: boolean;
  /** Bytes that the text goes on with whatever the logits say; absent or empty where that is not known. */
  readonly forcedBytes?: Uint8Array;
  /** Whether `allowed` is at hand: it may be in the making elsewhere, once `prepare` was called. Absent: always. */
  readonly isReady?: boolean;
  /** Begins to make `allowed`, and what will be allowed behind each of `drafts`, as far as they may come. */
  prepare?(drafts: readonly number[]): void;
  /** Whether a token is allowed, found without the others. Absent: ask `allowed`. */
  allows?(tokenId: number): boolean;
  /** A token has come, of those allowed. What goes wrong here is thrown by `allowed`. */
  advance(tokenId: number): void;
}

/** What a constraint is checked for. */
export interface CheckSurroundings {
  /** Token ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /** Whether there is a vocabulary where the constraint will be made, so that it may be a grammar. Default false. */
  readonly takesGrammars?: boolean | undefined;
}

/** What a constraint is made in. */
export interface ConstraintSurroundings {
  /** Token ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /** The tokens' bytes, for constraints on text. */
  readonly vocabulary?: GrammarVocabulary | undefined;
}

/** One kind of constraint: what the files of the registry `constraints` export. `inner` does the same for a constraint within. */
export interface ConstraintKind<Spec, Inner = never> {
  /** The fields of a spec; their values are for `check`. */
  readonly fields: OptionTable<Spec>;
  /** Refuses a spec that is no such constraint. Errors: `invalid_value`. */
  readonly check: (spec: Spec, surroundings: CheckSurroundings, inner: (spec: Inner) => void) => void;
  /** At its beginning. The spec is checked. */
  readonly create: (spec: Spec, surroundings: ConstraintSurroundings, inner: (spec: Inner) => Constraint) => Constraint;
}
