/** What a template sees: `messages`, `tools`, `add_generation_prompt` and whatever else; `now` is for `strftime_now`. */
export type TemplateVariables = Readonly<Record<string, unknown>> & { readonly now?: Date | string };
