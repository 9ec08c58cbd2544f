// The address of a page: which section is open, and with which filters. What it says can be sent to a colleague.

/** A path and its query. */
export interface Address {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Reads one. */
export function readAddress(path: string, search: string): Address {
  return { path, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** Writes one; values that are empty are left out. */
export function toAddress({ path, query }: Address): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
