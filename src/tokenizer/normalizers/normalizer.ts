/** Rewrites a text before it is cut into words. */
export interface Normalizer {
  normalize(text: string): string;
  /**
   * A character below this stays unchanged, and neither it nor a later one changes an earlier one: a text may be cut
   * before it. So stretches without other characters need no call. 0: always the whole text.
   */
  readonly stableBelow: number;
  /** An added token is sought in the normalised text as it is written, and not as this would rewrite it. */
  readonly keepsTokens?: boolean;
}
