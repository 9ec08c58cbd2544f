import { parseJsonBody } from '../api/index.js';
import { memberSources } from '../base/index.js';
import type { FieldSources } from './body-type.js';

/** A body of JSON as a value, and those of its fields as text that were asked for and are there. */
export interface ReadJson {
  readonly value: unknown;
  readonly sources: FieldSources;
}

/** Reads the JSON of a body. Nothing is known of its shape yet. Errors: `json_parse_error`. */
export function readJson(bytes: Uint8Array, names: readonly string[]): ReadJson {
  const value = parseJsonBody(bytes);
  const wanted = names.filter((name) => hasField(value, name));
  // Most requests have none, and cost nothing.
  if (wanted.length === 0) return { value, sources: {} };
  const texts = memberSources(new TextDecoder().decode(bytes));
  return { value, sources: Object.fromEntries(wanted.map((name) => [name, copyText(texts.get(name) ?? 'null')])) };
}

/** Whether it has one; a top-level null counts as absent. */
function hasField(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const field: unknown = Reflect.get(value, name);
  return field !== undefined && field !== null;
}

/** V8 keeps the whole text of which a string is a part. */
function copyText(text: string): string {
  return Buffer.from(text).toString();
}
