import { AppError } from '../base/index.js';
import { parsePublicKey } from './ed25519.js';

/** More is a mistake: each of them can vouch for every model. */
const MAX_KEYS = 64;

/**
 * Public keys that are trusted, each 64 hexadecimal digits, in lower case and once each. `where` is what errors call the
 * list. None is left out: a list with a malformed key is an error. Errors: `invalid_option`.
 */
export async function parseTrustedKeys(texts: readonly string[], where: string): Promise<readonly string[]> {
  if (texts.length > MAX_KEYS) {
    throw new AppError('invalid_option', `${where} has ${texts.length} keys; the limit is ${MAX_KEYS}`, {
      param: where,
    });
  }
  const keys = await Promise.all(texts.map(async (text) => parsePublicKey(text, where)));
  return [...new Set(keys)];
}

/** Keys in one text, as in an environment variable: between commas or blanks. Two commas in a row make an empty one, which is no key. */
export function splitKeys(text: string): readonly string[] {
  const trimmed = text.trim();
  return trimmed === '' ? [] : trimmed.split(/\s*,\s*|\s+/);
}
