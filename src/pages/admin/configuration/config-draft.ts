/** An unsaved text of gateway.yaml, and the version that it began with. */
export interface ConfigDraft {
  /** Undefined: nothing was changed. */
  readonly text: string | undefined;
  readonly etag: string;
}

/** Nothing was changed. */
export const NO_DRAFT: ConfigDraft = { text: undefined, etag: '' };
