/** One kind of configuration file: what errors of it say. */
export interface FileKind {
  /** Error codes: the file cannot be used, is missing, exists already, or was changed by another writer. */
  readonly codes: {
    readonly invalid: string;
    readonly missing: string;
    readonly exists: string;
    readonly changed: string;
  };
  /** What to do where there is none, as the end of a sentence. */
  readonly toMake: (path: string) => string;
  /** What to do where one is in the way, as the end of a sentence. */
  readonly toReplace: string;
}
