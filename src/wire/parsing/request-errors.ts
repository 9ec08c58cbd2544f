import { AppError, describe } from '../../base/index.js';

/** A field that must be there. */
export function missingField(param: string): AppError {
  return new AppError('missing_required_parameter', `${param} is required and is missing`, { param });
}

/** A field with a value that it cannot have. `rule`: what it must be, as the end of the sentence. */
export function invalidField(param: string, rule: string, value: unknown): AppError {
  return new AppError('invalid_value', `${param} ${rule}; it is ${describe(value, true)}`, { param });
}

/** A value that the dialect knows and that cannot be served. */
export function unsupportedValue(param: string, why: string): AppError {
  return new AppError('unsupported_value', `${param} ${why}`, { param });
}

/** A part of a content that is no text. */
export function unsupportedPart(param: string, type: string): AppError {
  return unsupportedValue(param, `is of type ${describe(type, true)}; this model takes only text parts`);
}
