import { AppError, isAppError } from '../base/index.js';
import type { Hold } from '../metering/index.js';
import type { AnswerHooks, CompletionCount, RequestFacts, AnswerVerdict } from '../relay/index.js';
import { choicesOf } from './token-bounds.js';

/** The limits on the tokens of an answer. */
export interface OutputLimiterOptions {
  readonly facts: RequestFacts;
  /** Completion tokens at most of one choice; undefined: no limit is set. */
  readonly limit: number | undefined;
  readonly hold: Pick<Hold, 'allow' | 'grantedTokens'>;
  /** The error where the hold allows no more. */
  readonly used: () => AppError;
  /** The last bytes of a cut answer. */
  readonly finalBytes: (error: AppError) => Uint8Array;
  /** Called when the answer is cut. */
  readonly onCut: (error: AppError) => void;
}

/** Decides whether more of an answer may be handed on, and caps its estimate. */
export interface OutputLimiter {
  readonly admit: NonNullable<AnswerHooks['admit']>;
  readonly mostTokens?: number;
}

/**
 * A runtime with the same limit may count otherwise, or end a little late: allow a quarter more, and the tokens that end a turn.
 */
const LATE = { part: 4, tokens: 8 } as const;
/** No text has more than twice its estimated tokens, and some. */
const ESTIMATE = { times: 2, tokens: 32 } as const;
/** An exhausted hold is asked again after so many more tokens. */
const ASK_AGAIN = 64;

/**
 * Enforces the limit and the hold of an answer. If the upstream got the limit itself, or money is reserved for it, only
 * certain tokens count: reported ones, or those that the text has in any vocabulary. No estimate cuts such an answer.
 */
export function createOutputLimiter(options: OutputLimiterOptions): OutputLimiter {
  const { facts, limit, hold, used, finalBytes, onCut } = options;
  // An answer without a completion, such as embeddings, is always complete, whatever its usage says.
  const most = !limit ? Infinity : limit * choicesOf(facts);
  const isTold = (facts.maxOutputTokens ?? 0) > 0;
  const isOver = isTold ? createToldLimit(most) : createOwnLimit(most);
  let askFrom = 0;
  const cut = (error: AppError, charged?: number): AnswerVerdict => {
    onCut(error);
    return { finalBytes: finalBytes(error), ...(charged !== undefined && { charged }) };
  };
  // Tokens whose usage cannot be written are refused.
  const refuse = (error: unknown): AnswerVerdict => {
    if (!isAppError(error)) throw error;
    return cut(error);
  };
  const decide = ({ tokens, least }: CompletionCount, isAllowed: boolean): AnswerVerdict => {
    if (isAllowed) return true;
    askFrom = tokens + ASK_AGAIN;
    // The whole limit is reserved: only the limit cuts the answer, with some tolerance.
    const isReserved = hold.grantedTokens >= most;
    return isReserved || least <= hold.grantedTokens || cut(used());
  };
  const admit = (count: CompletionCount): AnswerVerdict | Promise<AnswerVerdict> => {
    if (isOver(count)) return cut(overLimit(most), most);
    const { tokens, least } = count;
    if (tokens > hold.grantedTokens && tokens < askFrom && least <= hold.grantedTokens) return true;
    const isAllowed = hold.allow(tokens);
    if (typeof isAllowed === 'boolean') return decide(count, isAllowed);
    return isAllowed.then((allowed) => decide(count, allowed), refuse);
  };
  return { admit, ...(isTold && most < Infinity && { mostTokens: most }) };
}

/** Checks a limit that the upstream got: not every provider counts thoughts towards it. */
function createToldLimit(most: number): (count: CompletionCount) => boolean {
  const bound = most + Math.ceil(most / LATE.part) + LATE.tokens;
  return ({ leastSaid }) => leastSaid > bound;
}

/** Checks a limit of a key or a model, which the upstream does not know. */
function createOwnLimit(most: number): (count: CompletionCount) => boolean {
  const bound = most * ESTIMATE.times + ESTIMATE.tokens;
  return ({ tokens, least }) => least > most || tokens > bound;
}

function overLimit(most: number): AppError {
  const message = `the answer reached the ${most} completion tokens that it may have; ask for no more with max_tokens`;
  return new AppError('output_limit_reached', message, { limit: most });
}
