import { AppError, isAppError } from '../base/index.js';
import type { Hold } from '../metering/index.js';
import type { AnswerHooks, CompletionCount, RequestFacts, Verdict } from '../relay/index.js';
import { choicesOf } from './token-bounds.js';

/** What the tokens of an answer are held to. */
export interface AdmissionOptions {
  readonly facts: RequestFacts;
  /** Completion tokens at most of one choice; undefined: no limit is set. */
  readonly limit: number | undefined;
  readonly hold: Pick<Hold, 'allow' | 'grantedTokens'>;
  /** What is wrong where the hold allows no more. */
  readonly used: () => AppError;
  /** What the answer ends with. */
  readonly finalBytes: (error: AppError) => Uint8Array;
  /** The answer is cut. */
  readonly onCut: (error: AppError) => void;
}

/** Whether more of an answer may be handed on, and what an estimate of it says at most. */
export interface Admission {
  readonly admit: NonNullable<AnswerHooks['admit']>;
  readonly mostTokens?: number;
}

/** A runtime that was told the limit may count otherwise, or end a little late: by a quarter and some tokens of what ends a turn. */
const LATE = { part: 4, tokens: 8 } as const;
/** Twice what an estimate says, and some, is beyond what any text differs from it. */
const ESTIMATE = { times: 2, tokens: 32 } as const;
/** A hold that had no more is asked again when there are so many more tokens. */
const ASK_AGAIN = 64;

/**
 * Holds an answer to its limit and to its hold. What the upstream was told itself, and what money is reserved for, is held by
 * what is certain: by tokens that were told, or that the text has in any vocabulary. No estimate cuts such an answer.
 */
export function createAdmission(options: AdmissionOptions): Admission {
  const { facts, limit, hold, used, finalBytes, onCut } = options;
  // An answer that has no completion, such as embeddings, is whole whatever its usage says of one.
  const most = !limit ? Infinity : limit * choicesOf(facts);
  const isTold = (facts.maxOutputTokens ?? 0) > 0;
  const isOver = isTold ? createToldLimit(most) : createOwnLimit(most);
  let askFrom = 0;
  const cut = (error: AppError, charged?: number): Verdict => {
    onCut(error);
    return { finalBytes: finalBytes(error), ...(charged !== undefined && { charged }) };
  };
  // Tokens whose usage cannot be written are refused.
  const refuse = (error: unknown): Verdict => {
    if (!isAppError(error)) throw error;
    return cut(error);
  };
  const decide = ({ tokens, least }: CompletionCount, isAllowed: boolean): Verdict => {
    if (isAllowed) return true;
    askFrom = tokens + ASK_AGAIN;
    // All that it may have is reserved: what it has beyond a little is cut by its limit.
    const isReserved = hold.grantedTokens >= most;
    return isReserved || least <= hold.grantedTokens || cut(used());
  };
  const admit = (count: CompletionCount): Verdict | Promise<Verdict> => {
    if (isOver(count)) return cut(overLimit(most), most);
    const { tokens, least } = count;
    if (tokens > hold.grantedTokens && tokens < askFrom && least <= hold.grantedTokens) return true;
    const isAllowed = hold.allow(tokens);
    if (typeof isAllowed === 'boolean') return decide(count, isAllowed);
    return isAllowed.then((allowed) => decide(count, allowed), refuse);
  };
  return { admit, ...(isTold && most < Infinity && { mostTokens: most }) };
}

/** Of a limit that the upstream was told: thoughts are no part of it at every provider. */
function createToldLimit(most: number): (count: CompletionCount) => boolean {
  const bound = most + Math.ceil(most / LATE.part) + LATE.tokens;
  return ({ leastSaid }) => leastSaid > bound;
}

/** Of a limit of a key or a model, which the upstream does not know. */
function createOwnLimit(most: number): (count: CompletionCount) => boolean {
  const bound = most * ESTIMATE.times + ESTIMATE.tokens;
  return ({ tokens, least }) => least > most || tokens > bound;
}

function overLimit(most: number): AppError {
  const message = `the answer reached the ${most} completion tokens that it may have; ask for no more with max_tokens`;
  return new AppError('output_limit_reached', message, { limit: most });
}
