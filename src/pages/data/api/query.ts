/** The query of a request. Undefined and empty values are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes `?a=1&b=2`, or an empty text. */
export function toSearch(query: Query | undefined): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] as const],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given)).toString()}`;
}

/** Escapes a value as one segment of a path. */
export function segment(value: string): string {
  return encodeURIComponent(value);
}
