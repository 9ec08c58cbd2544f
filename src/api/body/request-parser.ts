import { Compile, type Static, type TSchema } from '../../schema/index.js';
import { readFields } from '../fields/request-fields.js';
import { toRequestError } from './schema-error.js';

/**
 * The parser of untrusted JSON that follows from a schema of an object. Unknown keys stay; top-level nulls are dropped.
 * Errors of it, with `details.param` naming the path: `missing_required_parameter`, `invalid_type`, `invalid_value`.
 */
export function createRequestParser<S extends TSchema>(schema: S): (value: unknown) => Static<S> {
  const validator = Compile(schema);
  return (value) => {
    const request: unknown = readFields(value);
    if (!validator.Check(request)) throw toRequestError(validator.Errors(request), request);
    return request;
  };
}
