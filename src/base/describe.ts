/**
 * Describes a value for a message. Never quotes a text that could be a prompt; quotes one word at most, where the
 * option takes one of a few words.
 */
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
