import { AppError } from '../../base/index.js';

/** A field that is refused. */
export interface RefusedField {
  /** Values that ask for nothing. */
  readonly harmless: (value: unknown) => boolean;
  /** The rest of a sentence about it: why, and an alternative. */
  readonly why: string;
}

/** Refuses fields of a dialect that this server lacks. Errors: `unsupported_parameter`. */
export function refuseFields(
  request: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, RefusedField>>,
): void {
  for (const [field, { harmless, why }] of Object.entries(fields)) {
    const value = request[field];
    if (value === undefined || harmless(value)) continue;
    throw new AppError('unsupported_parameter', `${field} ${why}`, { param: field });
  }
}
