import type { Place, Problem } from '../../../yaml-file/index.js';

/** A whole virtual key or admin token. Beside letters and digits nothing may touch it, so that a hash is none. */
const PLAIN_KEY = /(?<![0-9A-Za-z])gw([ka])_[0-9A-Za-z]{6}_[0-9A-Za-z]{20,}/g;

/** Keys in plain text anywhere in the file, in comments too: whoever reads the file could use them. */
export function findPlainKeys(text: string, placeAt: (offset: number) => Place): Problem[] {
  return [...text.matchAll(PLAIN_KEY)].map(({ index, 1: kind }) => {
    const [what, command] = kind === 'k' ? ['a virtual key', 'keys rotate'] : ['an admin token', 'admin-token'];
    const message = `${what} stands here in plain text; take it out, write the SHA-256 of a key instead, and replace this one (${command}), since it may have been read`;
    return { ...placeAt(index), field: '', message };
  });
}
