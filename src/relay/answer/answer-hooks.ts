import type { AnswerUsage, CompletionCount } from './answer-usage.js';

/** How an answer ended: whole, with an error of its upstream, by its reader, or by us. */
export type AnswerEnd = 'whole' | 'failed' | 'left' | 'cut';

/** What is known when an answer is over. */
export interface AnswerOutcome {
  readonly end: AnswerEnd;
  readonly status: number;
  readonly usage: AnswerUsage;
  /** Bytes of the body that were handed on. */
  readonly bytes: number;
  /** What the upstream failed with. */
  readonly error?: unknown;
}

/** Hooks for the code that charges for an answer. */
export interface AnswerHooks {
  /**
   * May the completion have as many tokens? Asked before the first bytes of an answer that is no error, and before bytes
   * that carry more tokens are handed on, with what is known of their whole number. A refusal ends the answer with
   * `finalBytes` instead, where it may end early, and with a broken connection else.
   */
  readonly admit?: ((count: CompletionCount) => Verdict | Promise<Verdict>) | undefined;
  /** Tokens that the upstream was told to write at most: no estimate says more. */
  readonly mostTokens?: number | undefined;
  /** The first byte of the body is about to be handed on. */
  readonly onFirstByte?: (() => void) | undefined;
  /**
   * The reader left after it had something: may the answer be read on, to learn what it cost? Undefined: its upstream is
   * stopped, and what is not told is estimated.
   */
  readonly onLeft?: (() => ReadOn | undefined) | undefined;
  /**
   * All is known that the answer costs: its last piece, or what it is cut with, is handed on when this has resolved, so that
   * no reader has an answer whole whose cost is not written. Called once at most and before `onOutcome`, whose end may be
   * another: the reader may leave, or its upstream break, after that. Not called for what breaks off or is left before. It
   * must not reject.
   */
  readonly onKnown?: ((outcome: AnswerOutcome) => Promise<void> | undefined) | undefined;
  /** Called once, on every end. */
  readonly onOutcome?: ((outcome: AnswerOutcome) => void) | undefined;
}

/** How an answer is read on without a reader. */
export interface ReadOn {
  /** Aborted when it may not go on. */
  readonly signal: AbortSignal;
  /** Tokens that may still come. */
  readonly tokens: number;
  /** Called once, when nothing more is read. */
  readonly onEnd: () => void;
}

/** True, or what the answer ends with. `charged`: tokens that it costs at most; absent: those that were admitted before. */
export type Verdict = true | { readonly finalBytes: Uint8Array; readonly charged?: number };
