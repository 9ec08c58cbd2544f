import type { FieldNotes } from './field-schema.js';

/** Maps of a file: unknown keys are refused. */
export const strict = { additionalProperties: false };

/** What we add to a schema, without the fields that are absent. */
export function notes(description: string, more: FieldNotes = {}): FieldNotes {
  return { description, ...more };
}
