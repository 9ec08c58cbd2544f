import { parseJsonBody } from '../api/index.js';
import { memberSources } from '../base/index.js';
import type { FieldSources } from './body-type.js';

/** A JSON body as a value, with the JSON text of requested fields that are present. */
export interface ReadJson {
  readonly value: unknown;
  readonly sources: FieldSources;
}

/** Parses the JSON of a body without checking its shape. Errors: `json_parse_error`. */
export function readJson(bytes: Uint8Array, names: readonly string[]): ReadJson {
  const value = parseJsonBody(bytes);
  const wanted = names.filter((name) => hasField(value, name));
  // Most requests have none of these fields and skip the second scan.
  if (wanted.length === 0) return { value, sources: {} };
  const texts = memberSources(new TextDecoder().decode(bytes));
  return { value, sources: Object.fromEntries(wanted.map((name) => [name, copyText(texts.get(name) ?? 'null')])) };
}

/** Whether the value has the field; a top-level null counts as absent. */
function hasField(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const field: unknown = Reflect.get(value, name);
  return field !== undefined && field !== null;
}

/** Copies a text, because V8 keeps the whole text alive for a substring of it. */
function copyText(text: string): string {
  return Buffer.from(text).toString();
}
