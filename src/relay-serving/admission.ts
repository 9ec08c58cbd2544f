import { AppError, isAppError } from '../base/index.js';
import type { Hold } from '../metering/index.js';
import type { AnswerHooks, RequestFacts, Verdict } from '../relay/index.js';
import { choicesOf } from './token-bounds.js';

/** What the tokens of an answer are held to. */
export interface AdmissionOptions {
  readonly facts: RequestFacts;
  /** Completion tokens at most of one choice; undefined: nobody says. */
  readonly limit: number | undefined;
  readonly hold: Pick<Hold, 'allow'>;
  /** What is wrong where the hold allows no more. */
  readonly used: () => AppError;
  /** What the answer ends with. */
  readonly finalBytes: (error: AppError) => Uint8Array;
  /** The answer is cut. */
  readonly onCut: (error: AppError) => void;
}

/** Whether more of an answer may be handed on: by what was asked for, and by what the hold has. */
export function createAdmission(options: AdmissionOptions): NonNullable<AnswerHooks['admit']> {
  const { facts, limit, hold, used, finalBytes, onCut } = options;
  // A runtime that counts otherwise, or ends a little late, is not cut for a few tokens of what it was asked for itself.
  const isOurs = (facts.maxOutputTokens ?? 0) <= 0;
  // An answer that has no completion, such as embeddings, is whole whatever its usage says of one.
  const most = !limit || !isOurs ? Infinity : limit * choicesOf(facts);
  const cut = (error: AppError): Verdict => {
    onCut(error);
    return { finalBytes: finalBytes(error) };
  };
  // Usage that cannot be written is usage that nobody may have.
  const refuse = (error: unknown): Verdict => {
    if (!isAppError(error)) throw error;
    return cut(error);
  };
  return (tokens) => {
    if (tokens > most) return cut(overLimit(most));
    const isAllowed = hold.allow(tokens);
    if (typeof isAllowed === 'boolean') return isAllowed || cut(used());
    return isAllowed.then((allowed) => allowed || cut(used()), refuse);
  };
}

function overLimit(most: number): AppError {
  const message = `the answer reached the ${most} completion tokens that it may have; ask for no more with max_tokens`;
  return new AppError('output_limit_reached', message, { limit: most });
}
