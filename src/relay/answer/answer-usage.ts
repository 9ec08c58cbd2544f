/** Tokens of one answer. */
export interface AnswerUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of the prompt, those that the runtime had computed before. */
  readonly cachedTokens: number;
  /** Of the prompt, those that the runtime put into a cache, where it tells them. */
  readonly cacheWriteTokens: number;
  /** Of the completion, those of its reasoning. */
  readonly reasoningTokens: number;
  /** The runtime did not tell all of it: tokens were estimated from text. */
  readonly isEstimated: boolean;
}

/** Of an answer that is none. */
export const NO_TOKENS: AnswerUsage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  isEstimated: false,
};

/** What is known of the tokens of an answer that is not read. */
export const NO_COUNT: CompletionCount = { tokens: 0, isTold: false, least: 0, leastSaid: 0 };

/** What is known of the tokens of a completion under way. */
export interface CompletionCount {
  /** As they were told, or as they are estimated. */
  readonly tokens: number;
  readonly isTold: boolean;
  /** Tokens at the least: told ones, and those that the text has in any vocabulary. */
  readonly least: number;
  /** The same without thoughts. */
  readonly leastSaid: number;
}
