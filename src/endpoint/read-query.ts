import { toRequestError } from '../api/index.js';
import { AppError, nearest } from '../base/index.js';
import { Compile, type Static, type TSchema } from '../schema/index.js';

/** The part of a field's schema that this file reads. */
interface FieldType {
  readonly type?: string;
}

/**
 * Creates a query reader from the schema of an object of texts, whole numbers and booleans. It refuses repeated and
 * unknown fields. Errors: `invalid_value`, `invalid_type`, `missing_required_parameter`.
 */
export function createQueryReader<S extends TSchema>(schema: S): (query: URLSearchParams) => Static<S> {
  const validator = Compile(schema);
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, FieldType>> };
  const known = new Map(Object.entries(properties));
  return (query) => {
    const values: [string, unknown][] = [];
    const seen = new Set<string>();
    for (const [name, text] of query) {
      const field = known.get(name);
      if (field === undefined) throw unknownField(name, [...known.keys()]);
      if (seen.has(name)) throw new AppError('invalid_value', `${name} stands twice in the query`, { param: name });
      seen.add(name);
      values.push([name, toValue(text, field)]);
    }
    const read: unknown = Object.fromEntries(values);
    if (!validator.Check(read)) throw toRequestError(validator.Errors(read), read);
    return read;
  };
}

/** Converts a text to the field's type. A text that does not fit stays a text, which validation then refuses. */
function toValue(text: string, { type }: FieldType): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function unknownField(name: string, known: readonly string[]): AppError {
  const shown = /^[\w.-]{1,64}$/.test(name) ? name : `a field of ${name.length} characters`;
  const near = nearest(shown, known);
  const hint = near === undefined ? `; it may have ${known.join(', ') || 'no field'}` : `; did you mean ${near}?`;
  return new AppError('invalid_value', `the query has ${shown}, which is not known here${hint}`, { param: null });
}
