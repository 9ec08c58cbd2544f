import { inflateSync } from 'node:zlib';

/** The words of a bitset that a peer in Python has packed: base64 of zlib. */
export function toWords(mask: string): Uint32Array {
  const bytes = inflateSync(Buffer.from(mask, 'base64'));
  const words = new Uint32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes);
  return words;
}
