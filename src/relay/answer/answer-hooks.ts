import type { AnswerUsage, CompletionCount } from './answer-usage.js';

/** How an answer ended: whole, with an error of its upstream, by its reader, or by us. */
export type AnswerEnd = 'whole' | 'failed' | 'left' | 'cut';

/** The outcome of an answer. */
export interface AnswerOutcome {
  readonly end: AnswerEnd;
  readonly status: number;
  readonly usage: AnswerUsage;
  /** Bytes of the body that were handed on. */
  readonly bytes: number;
  /** The error of the upstream. */
  readonly error?: unknown;
}

/** Hooks for the code that charges for an answer. */
export interface AnswerHooks {
  /**
   * Decides whether the completion may have as many tokens, with the known count so far. Called before the first bytes
   * of an answer that is no error, and before bytes with more tokens are handed on. A refusal ends the answer with
   * `finalBytes` if it can end early, else with a broken connection.
   */
  readonly admit?: ((count: CompletionCount) => AnswerVerdict | Promise<AnswerVerdict>) | undefined;
  /** The limit of tokens that the upstream got: no estimate exceeds it. */
  readonly mostTokens?: number | undefined;
  /** The first byte of the body is about to be handed on. */
  readonly onFirstByte?: (() => void) | undefined;
  /**
   * The reader left after a part of the answer: may the answer be read on for its usage? Undefined: the upstream is stopped, and
   * unreported usage is estimated.
   */
  readonly onLeft?: (() => ReadOn | undefined) | undefined;
  /**
   * Called when the full cost is known. The last piece, or the final bytes of a cut, is handed on after this has
   * resolved: the client gets a whole answer only after its cost is recorded. Called at most once, before `onOutcome`,
   * which may report another end: in between the client may leave, or the upstream break. Not called for an answer that
   * broke off or was left before. It must not reject.
   */
  readonly onKnown?: ((outcome: AnswerOutcome) => Promise<void> | undefined) | undefined;
  /** Called once, on every end. */
  readonly onOutcome?: ((outcome: AnswerOutcome) => void) | undefined;
}

/** How an answer is read on without a reader. */
export interface ReadOn {
  /** Aborted when reading must stop. */
  readonly signal: AbortSignal;
  /** Tokens that may still come. */
  readonly tokens: number;
  /** Called once, when reading has ended. */
  readonly onEnd: () => void;
}

/** True, or the last bytes of the answer. `charged`: the most tokens to charge; absent: the tokens admitted before. */
export type AnswerVerdict = true | { readonly finalBytes: Uint8Array; readonly charged?: number };
