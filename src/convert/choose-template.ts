/** A chat template among several, under its publisher's name. */
export interface NamedTemplate {
  readonly name: string;
  readonly text: string;
}

/** The template named `default`, or the only one; undefined for several without that name. */
export function chooseTemplate(templates: readonly NamedTemplate[]): string | undefined {
  const only = templates.length === 1 ? templates[0] : undefined;
  return (templates.find(({ name }) => name === 'default') ?? only)?.text;
}
