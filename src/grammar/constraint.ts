import type { OptionTable } from '../base/index.js';
import type { TokenMask } from './token-mask.js';

/**
 * Which tokens may come next in one sequence. It depends on the tokens that it was told of and on nothing else, so that
 * a sequence that is computed again is constrained as it was.
 */
export interface Constraint {
  /** The tokens that may come next, at least one; undefined: all. Valid until `advance`, never written to. */
  readonly allowed: TokenMask | undefined;
  /**
   * Tokens that come next whatever the logits say, in order; mostly none. The first of them is all that `allowed` has.
   * Whoever runs the sequence may append them without sampling, and need not.
   */
  readonly forced: readonly number[];
  /** Nothing may follow: the sequence has come to its end. */
  readonly ended: boolean;
  /** A token has come, of those allowed. */
  advance(tokenId: number): void;
}

/** One kind of constraint: what the files of the registry `constraints` export. */
export interface ConstraintKind<Spec> {
  /** The fields of a spec; their values are for `check`. */
  readonly fields: OptionTable<Spec>;
  /** Refuses a spec that is no such constraint. Errors: `invalid_value`. */
  readonly check: (spec: Spec, vocabSize: number) => void;
  /** At its beginning. The spec is checked. */
  readonly create: (spec: Spec, vocabSize: number) => Constraint;
}
