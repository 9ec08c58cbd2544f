import { Compile, type Static, type TSchema } from '../../schema/index.js';
import { readFields } from '../fields/request-fields.js';
import { toRequestError } from './schema-error.js';
import { readInnerBooleans } from './text-booleans.js';

/**
 * Holds the fields of a request to a schema. Booleans as text, which some clients write, are taken for booleans in objects of a request. Errors of
 * it, with `details.param` naming the path: `missing_required_parameter`, `invalid_type`, `invalid_value`.
 */
export function createFieldsCheck<S extends TSchema>(
  schema: S,
): (fields: Readonly<Record<string, unknown>>) => Static<S> {
  const validator = Compile(schema);
  return (fields) => {
    const request: unknown = fields;
    if (validator.Check(request)) return request;
    // Only what would be refused is looked through.
    const read: unknown = readInnerBooleans(schema, fields);
    if (validator.Check(read)) return read;
    throw toRequestError(validator.Errors(read), read);
  };
}

/**
 * The parser of untrusted JSON that follows from a schema of an object. Unknown keys stay; top-level nulls are dropped.
 * Errors of it: those of `createFieldsCheck`.
 */
export function createRequestParser<S extends TSchema>(schema: S): (value: unknown) => Static<S> {
  const check = createFieldsCheck(schema);
  return (value) => check(readFields(value));
}
