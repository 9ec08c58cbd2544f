import { AppError } from '../../base/index.js';
import { cleanText } from '../../database/index.js';

/** No key has this id, or it is another account's. */
export function keyUnknown(id: string): AppError {
  const message = `there is no key ${cleanText(id, 100)}; see the list of the account's keys`;
  return new AppError('account_key_unknown', message, { keyId: cleanText(id, 100) });
}
