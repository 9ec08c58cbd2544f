import { Compile, type Static, type TSchema } from '../../schema/index.js';
import { readRequestFields } from '../fields/request-fields.js';
import { toRequestError } from './schema-error.js';
import { readInnerBooleans } from './text-booleans.js';

/**
 * Checks the fields of a request against a schema. Some clients write booleans as text; inside the objects of a request
 * these count as booleans. Errors, with `details.param` naming the path: `missing_required_parameter`, `invalid_type`,
 * `invalid_value`.
 */
export function createFieldsCheck<S extends TSchema>(
  schema: S,
): (fields: Readonly<Record<string, unknown>>) => Static<S> {
  const validator = Compile(schema);
  return (fields) => {
    const request: unknown = fields;
    if (validator.Check(request)) return request;
    // Converts booleans only in a request that would be refused otherwise.
    const read: unknown = readInnerBooleans(schema, fields);
    if (validator.Check(read)) return read;
    throw toRequestError(validator.Errors(read), read);
  };
}

/**
 * The parser of untrusted JSON for the schema of an object. Unknown keys stay; top-level nulls are dropped. Errors of
 * the parser: those of `createFieldsCheck`.
 */
export function createRequestParser<S extends TSchema>(schema: S): (value: unknown) => Static<S> {
  const check = createFieldsCheck(schema);
  return (value) => check(readRequestFields(value));
}
