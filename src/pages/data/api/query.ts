/** The query of a request; what is undefined or empty is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `?a=1&b=2`, or nothing. */
export function toSearch(query: Query | undefined): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as const],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given)).toString()}`;
}

/** A value as one part of a path. */
export function segment(value: string): string {
  return encodeURIComponent(value);
}
