import { invalidValue } from '../base/index.js';

/** Errors: `invalid_value`. */
export function checkTokenId(field: string, id: number, vocabSize: number): void {
  if (Number.isInteger(id) && id >= 0 && id < vocabSize) return;
  throw invalidValue(field, id, `a whole number from 0 to ${vocabSize - 1}`);
}
