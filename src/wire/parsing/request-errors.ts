import { AppError, describe } from '../../base/index.js';

/** A field that must be there. */
export function missingField(param: string): AppError {
  return new AppError('missing_required_parameter', `${param} is required and is missing`, { param });
}

/** A field with an invalid value. `rule`: the requirement, as the end of the sentence. */
export function invalidField(param: string, rule: string, value: unknown): AppError {
  return new AppError('invalid_value', `${param} ${rule}; it is ${describe(value, true)}`, { param });
}

/** A value that the dialect knows and the server does not support. */
export function unsupportedValue(param: string, why: string): AppError {
  return new AppError('unsupported_value', `${param} ${why}`, { param });
}

/** A part of a content that is not text. */
export function unsupportedPart(param: string, type: string): AppError {
  return unsupportedValue(param, `is of type ${describe(type, true)}; this model takes only text parts`);
}
