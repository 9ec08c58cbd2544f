import { AppError, invalidValue } from '../base/index.js';

/** The name or path of a model. Errors: `invalid_value`. */
export function checkModelName(model: unknown): string {
  if (typeof model === 'string' && model !== '') return model;
  if (model === '') throw new AppError('invalid_value', 'model is empty; it must be the name or the path of a model');
  throw invalidValue('model', model, 'the name or the path of a model');
}

/** Copies token ids into a plain array. The engine checks that the ids exist. Errors: `invalid_value`. */
export function toIds(field: string, ids: ArrayLike<number> | undefined): number[] {
  const given: unknown = ids;
  const isList = typeof given === 'object' && given !== null && 'length' in given && Number.isInteger(given.length);
  if (!isList) throw invalidValue(field, given, 'a list of token ids');
  return Array.from(given as ArrayLike<number>);
}
