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
