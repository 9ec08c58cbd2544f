import type { TextPosition, Problem } from '../../../yaml-file/index.js';

/** A whole virtual key or admin token. No other letters or digits may touch it: a hash does not match. */
const PLAIN_KEY = /(?<![0-9A-Za-z])gw([ka])_[0-9A-Za-z]{6}_[0-9A-Za-z]{20,}/g;

/** Finds keys in plain text anywhere in the file, in comments too: a reader of the file could use them. */
export function findPlainKeys(text: string, placeAt: (offset: number) => TextPosition): Problem[] {
  return [...text.matchAll(PLAIN_KEY)].map(({ index, 1: kind }) => {
    const [what, command] = kind === 'k' ? ['a virtual key', 'keys rotate'] : ['an admin token', 'admin-token'];
    const message = `${what} stands here in plain text; take it out, write the SHA-256 of a key instead, and replace this one (${command}), since it may have been read`;
    return { ...placeAt(index), field: '', message };
  });
}
