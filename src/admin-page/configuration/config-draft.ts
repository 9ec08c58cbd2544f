/** A text of gateway.yaml that somebody changed and did not save, and the version that it began with. */
export interface ConfigDraft {
  /** Undefined: nothing was changed. */
  readonly text: string | undefined;
  readonly etag: string;
}

/** Nothing was changed. */
export const NO_DRAFT: ConfigDraft = { text: undefined, etag: '' };
