import type { TextPosition, Problem } from '../../yaml-file/index.js';

/** Our secrets, and the forms of known providers' secrets. Nothing may touch them: a hash does not match. */
const PLAIN_SECRET =
  /(?<![0-9A-Za-z])(?:(?:gwk|gwa|hak)_[0-9A-Za-z]{6}_[0-9A-Za-z]{20,}|sk-[A-Za-z0-9_-]{20,}|postgres(?:ql)?:\/\/[^\s:@/]+:[^\s@/]+@)/g;

/** Finds secrets in plain text anywhere in the file, in comments too: a reader of the file could use them. */
export function findPlainSecrets(text: string, placeAt: (offset: number) => TextPosition): Problem[] {
  return [...text.matchAll(PLAIN_SECRET)].map(({ index }) => {
    const message =
      'a secret stands here in plain text; take it out, refer to it by { env: NAME } or { file: PATH }, and replace it where it was made, since it may have been read';
    return { ...placeAt(index), field: '', message };
  });
}
