/** What a template sees: `messages`, `tools`, `add_generation_prompt` and whatever else; `now` is for `strftime_now`. */
export type TemplateVariables = Readonly<Record<string, unknown>> & {
  /** What `strftime_now` prints: a Date, or a local time 'YYYY-MM-DDTHH:mm:ss'. Default: the present. */
  readonly now?: Date | string;
};
