import { AppError, describe } from '../../base/index.js';

/** An object of a body whose members are not known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether `value` is an object with members. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that may be absent or null. Errors: `invalid_type`. */
export function optionalText(fields: Fields, name: string, path = ''): string | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw wrongType(path + name, 'a string', value);
}

/** A text that must be there. Errors: `missing_required_parameter`, `invalid_type`. */
export function requiredText(fields: Fields, name: string, path: string): string {
  const text = optionalText(fields, name, path);
  if (text === undefined) throw missing(path + name);
  return text;
}

/** A list of objects; none where it is absent or null. Errors: `invalid_type`. */
export function objectsOf(value: unknown, path: string): readonly Fields[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrongType(path, 'a list', value);
  return value.map((item: unknown, index) => {
    if (!isFields(item)) throw wrongType(`${path}[${index}]`, 'an object', item);
    return item;
  });
}

/** An object, or nothing. Errors: `invalid_type`. */
export function objectOf(value: unknown, path: string): Fields | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isFields(value)) throw wrongType(path, 'an object', value);
  return value;
}

/** The error of a member that is absent. */
export function missing(param: string): AppError {
  return new AppError('missing_required_parameter', `${param} is required and is missing`, { param });
}

/** The error of a member of another type. */
export function wrongType(param: string, expected: string, value: unknown): AppError {
  return new AppError('invalid_type', `${param} must be ${expected}, not ${describe(value)}`, { param });
}

/** The members of a body, without those whose value is null: at the top null means absent. */
export function withoutNulls(body: Fields): Fields {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
