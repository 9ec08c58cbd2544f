/** The variables of a template: `messages`, `tools`, `add_generation_prompt` and others; `now` is for `strftime_now`. */
export type TemplateVariables = Readonly<Record<string, unknown>> & {
  /** The time that `strftime_now` prints: a Date, or a local time 'YYYY-MM-DDTHH:mm:ss'. Default: the present. */
  readonly now?: Date | string;
};
