/** Rewrites a text before it is cut into words. */
export interface Normalizer {
  normalize(text: string): string;
  /**
   * A character below this stays as it is, and neither it nor what follows changes what stands before it: a text may be
   * cut in front of it. So stretches without other characters need no call. 0: always the whole text.
   */
  readonly stableBelow: number;
  /** An added token is sought in the normalised text as it is written, and not as this would rewrite it. */
  readonly keepsTokens?: boolean;
}
