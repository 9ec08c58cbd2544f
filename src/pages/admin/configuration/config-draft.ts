/** An unsaved text of gateway.yaml, and the version on which it is based. */
export interface ConfigDraft {
  /** Undefined: no change. */
  readonly text: string | undefined;
  readonly etag: string;
}

/** The draft without a change. */
export const NO_DRAFT: ConfigDraft = { text: undefined, etag: '' };
