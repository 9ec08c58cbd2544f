/** Rewrites a text before it is cut into words. */
export interface Normalizer {
  normalize(text: string): string;
  /** A text whose UTF-16 units are all below this stays as it is, so the call can be saved. 0: always call. */
  readonly stableBelow: number;
}
