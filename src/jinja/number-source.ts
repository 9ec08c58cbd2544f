/** The JSON number that a value was written as; undefined for what a template computed. */
export function numberSource(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const source: unknown = Reflect.get(value, 'source');
  return typeof source === 'string' ? source : undefined;
}
