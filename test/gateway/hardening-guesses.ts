// What an attacker tries instead of a key, given the beginning that lists show.
import { randomBytes } from 'node:crypto';
import { createKeySecret } from '../../src/metering/index.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => BASE62.charAt(byte % BASE62.length)).join('');
}

/** Guesses by their number, of four kinds in turns. */
export function createKeyGuesses(key: string): (i: number) => string {
  const prefix = key.slice(0, 10);
  return (i) => {
    switch (i % 4) {
      // A whole key, check digits and all.
      case 0:
        return createKeySecret('gwk').secret;
      // The form alone.
      case 1:
        return `gwk_${randomText(6)}_${randomText(43)}_${randomText(6)}`;
      // The beginning that is known.
      case 2:
        return `${prefix}_${randomText(43)}_${randomText(6)}`;
      // The key itself but for one character.
      default: {
        const at = 11 + (i % (key.length - 11));
        const put = key[at] === 'x' ? 'y' : 'x';
        return key.slice(0, at) + put + key.slice(at + 1);
      }
    }
  };
}
