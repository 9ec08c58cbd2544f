/** A well-known chat format: the template of a family of models, for conversations of text alone. */
export interface ChatFormat {
  /** The models that use it, in some words. */
  readonly models: string;
  /** Its text, in Jinja. */
  readonly template: string;
}
