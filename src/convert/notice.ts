/** Something that the user should know of a model, said while it is made. */
export interface Notice {
  /**
   * `no_tokenizer`: it can only continue token ids. `requantised`: types of the file that no kernel computes with are
   * stored as q8. `replaced`: an artifact of an earlier version was removed.
   */
  readonly kind: 'no_tokenizer' | 'requantised' | 'replaced';
  /** One line. */
  readonly text: string;
}

/** Told of notices. What it throws ends the work. */
export type OnNotice = (notice: Notice) => void;
