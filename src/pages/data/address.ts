// The address of a page: the open section and its filters. Users can share it.

/** A path and its query. */
export interface Address {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Reads an address. */
export function readAddress(path: string, search: string): Address {
  return { path, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** Writes an address without empty values. */
export function toAddress({ path, query }: Address): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
