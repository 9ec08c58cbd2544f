import type { FieldNotes } from './field-schema.js';

/** Maps of a file: unknown keys are refused. */
export const strict = { additionalProperties: false };

/** Our additions to a schema, without the absent ones. */
export function notes(description: string, more: FieldNotes = {}): FieldNotes {
  return { description, ...more };
}
