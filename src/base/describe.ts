/** A value for a message: never text that could be a prompt, at most a word where one of a few words was due. */
export function describe(value: unknown, mayQuote = false): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    return mayQuote && /^[\w.-]{1,24}$/.test(value) ? `"${value}"` : `a string of ${value.length} characters`;
  }
  if (Array.isArray(value)) return `an array of ${value.length} items`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
