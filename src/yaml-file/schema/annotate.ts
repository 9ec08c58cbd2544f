import type { FieldAnnotations } from './field-schema.js';

/** Maps of a file: unknown keys are refused. */
export const strict = { additionalProperties: false };

/** Our additions to a schema, without the absent ones. */
export function annotate(description: string, more: FieldAnnotations = {}): FieldAnnotations {
  return { description, ...more };
}
