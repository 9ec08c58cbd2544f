import { randomBytes } from 'node:crypto';

/** Crockford's alphabet: without I, L, O and U. */
const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

/** A new id of a key: `vk_` and a ULID. */
export function createKeyId(unixMs: number, random?: (sizeBytes: number) => Uint8Array): string {
  return createId('vk', unixMs, random);
}

/** A new id: its kind and a ULID, 48 bits of time and 80 random ones. Source: the ULID specification. */
export function createId(
  kind: string,
  unixMs: number,
  random: (sizeBytes: number) => Uint8Array = randomBytes,
): string {
  let time = Math.floor(unixMs);
  let text = '';
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = BASE32.charAt(time % BASE32.length) + text;
    time = Math.floor(time / BASE32.length);
  }
  for (const byte of random(RANDOM_LENGTH)) text += BASE32.charAt(byte % BASE32.length);
  return `${kind}_${text}`;
}
