import { AppError, describe, invalidValue } from '../base/index.js';

/** Takes what Node takes for an AbortSignal, which may be another library's. Errors: `invalid_option`. */
export function checkSignal(signal: unknown): void {
  if (signal === undefined) return;
  const isSignal = typeof signal === 'object' && signal !== null && 'aborted' in signal && 'addEventListener' in signal;
  if (!isSignal) throw new AppError('invalid_option', `signal must be an AbortSignal, not ${describe(signal)}`);
}

/** Token ids as a plain array; which ones there are is the engine's to check. Errors: `invalid_value`. */
export function toIds(field: string, ids: ArrayLike<number>): number[] {
  const given: unknown = ids;
  const isList = typeof given === 'object' && given !== null && 'length' in given && Number.isInteger(given.length);
  if (!isList) throw invalidValue(field, given, 'a list of token ids');
  return Array.from(ids);
}
