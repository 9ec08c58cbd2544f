/** A chat template among several, under the name that its publisher gave it. */
export interface NamedTemplate {
  readonly name: string;
  readonly text: string;
}

/** The one called `default`, or the only one; undefined where there are several and none is called so. */
export function chooseTemplate(templates: readonly NamedTemplate[]): string | undefined {
  const only = templates.length === 1 ? templates[0] : undefined;
  return (templates.find(({ name }) => name === 'default') ?? only)?.text;
}
