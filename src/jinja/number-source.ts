/** The original JSON text of a number; undefined for a computed one. */
export function numberSource(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const source: unknown = Reflect.get(value, 'source');
  return typeof source === 'string' ? source : undefined;
}
