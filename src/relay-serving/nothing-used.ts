/** What a request costs that failed before its first token. */
export const NO_USAGE = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  isEstimated: false,
  began: false,
} as const;
