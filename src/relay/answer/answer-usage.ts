/** Tokens of one answer. */
export interface AnswerUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Prompt tokens from the runtime's cache. */
  readonly cachedTokens: number;
  /** Prompt tokens that the runtime put into a cache, where it reports them. */
  readonly cacheWriteTokens: number;
  /** Completion tokens of its reasoning. */
  readonly reasoningTokens: number;
  /** The runtime did not report all of it: tokens were estimated from text. */
  readonly isEstimated: boolean;
}

/** The usage of an answer without tokens. */
export const NO_TOKENS: AnswerUsage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  isEstimated: false,
};

/** The count of an answer that is not read. */
export const NO_COUNT: CompletionCount = { tokens: 0, isTold: false, least: 0, leastSaid: 0 };

/** The known tokens of a completion under way. */
export interface CompletionCount {
  /** Reported or estimated tokens. */
  readonly tokens: number;
  readonly isTold: boolean;
  /** A lower bound: reported tokens, and tokens that the text has in any vocabulary. */
  readonly least: number;
  /** The same without thoughts. */
  readonly leastSaid: number;
}
