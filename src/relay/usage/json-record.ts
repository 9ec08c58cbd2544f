/** An object of JSON. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether `value` is an object with members. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
