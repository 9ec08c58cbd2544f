import type { TSchema } from '../../schema/index.js';

/** A schema as JSON has it. */
export function hideFunctions(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
}
