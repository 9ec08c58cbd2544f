/** A value of which there is one text only: no fractions, no undefined members. */
export type CanonicalValue = string | number | readonly CanonicalValue[] | { readonly [name: string]: CanonicalValue };

/**
 * JSON with sorted members and no white space: what is signed has one spelling. Source: RFC 8785, for values of strings,
 * whole numbers up to 2^53, arrays and objects, for which JSON.stringify writes each of them as it demands.
 */
export function toCanonicalJson(value: CanonicalValue): string {
  if (typeof value === 'string' || typeof value === 'number') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  // By UTF-16 units, as RFC 8785 sorts and as `toSorted` does.
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${toCanonicalJson(value[name] ?? '')}`).join(',')}}`;
}

function isArray(value: CanonicalValue): value is readonly CanonicalValue[] {
  return Array.isArray(value);
}
