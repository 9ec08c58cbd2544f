/**
 * A message as the JSON form of it: what is absent there is absent here. Decoded messages have what is absent as null on
 * their prototypes, which checks of fields would take for values.
 */
export function toPlain(message: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(message)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]: [string, unknown]) => [name, plain(value)]),
  );
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    // Lists of numbers are long and as they should be.
    return value.length > 0 && typeof value[0] === 'object' ? value.map(plain) : value;
  }
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) ? toPlain(value) : value;
}
