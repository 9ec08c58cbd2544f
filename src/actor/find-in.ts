/** Depth limit of the search: an init nests little, and a cycle must end. */
const SEARCH_DEPTH = 4;

/** The objects in `value` for which `is` holds: itself, or in its plain objects and arrays. */
export function findIn<T extends object>(value: unknown, is: (value: object) => value is T, depth = SEARCH_DEPTH): T[] {
  if (typeof value !== 'object' || value === null) return [];
  if (is(value)) return [value];
  const plain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (depth === 0 || !plain) return [];
  return Object.values(value).flatMap((item) => findIn(item, is, depth - 1));
}
