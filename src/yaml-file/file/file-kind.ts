/** One kind of configuration file, with the words of its errors. */
export interface FileKind {
  /** Error codes: the file cannot be used, is missing, exists already, or was changed by another writer. */
  readonly codes: {
    readonly invalid: string;
    readonly missing: string;
    readonly exists: string;
    readonly changed: string;
  };
  /** The advice for a missing file, as the end of a sentence. */
  readonly toMake: (path: string) => string;
  /** The advice for a file in the way, as the end of a sentence. */
  readonly toReplace: string;
}
