/** Information for the user about a model, given during its conversion. */
export interface Notice {
  /** `no_tokenizer`: it can only continue token ids. `requantised`: types of the file without a kernel are stored as q8. */
  readonly kind: 'no_tokenizer' | 'requantised';
  /** One line. */
  readonly text: string;
}

/** Called with notices. Its exception ends the work. */
export type OnNotice = (notice: Notice) => void;
