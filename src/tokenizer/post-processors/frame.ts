/** The ids that `addSpecialTokens` puts around those of a text. */
export interface Frame {
  readonly before: readonly number[];
  readonly after: readonly number[];
}
