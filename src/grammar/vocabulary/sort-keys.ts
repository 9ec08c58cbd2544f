/** Texts by their bytes: text `i` is `bytes[starts[i], ends[i])`, of the token `ids[i]`. */
export interface TrieTexts {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly ids: Int32Array;
}

/** Texts in an order, by their place in `TrieTexts`, with the first bytes of each. */
export interface SortedTexts {
  readonly order: Int32Array;
  readonly heads: Uint32Array;
  readonly tails: Uint32Array;
}

/** Bytes of a head, and of a tail. */
const KEY_BYTES = 4;
/** Bytes of both. */
export const KEYS_BYTES = 2 * KEY_BYTES;

/**
 * The unsorted texts: `heads` are their first four bytes, the first one the highest, `tails` the next four, padded with
 * zeros.
 */
export function toKeys({ bytes, starts, ends }: TrieTexts): SortedTexts {
  const order = new Int32Array(starts.length);
  const heads = new Uint32Array(starts.length);
  const tails = new Uint32Array(starts.length);
  for (let i = 0; i < order.length; i++) {
    const start = starts[i] as number;
    const end = ends[i] as number;
    order[i] = i;
    heads[i] = keyAt(bytes, start, end);
    tails[i] = keyAt(bytes, start + KEY_BYTES, end);
  }
  return { order, heads, tails };
}

function keyAt(bytes: Uint8Array, start: number, end: number): number {
  let key = 0;
  const last = Math.min(start + KEY_BYTES, end);
  for (let i = start; i < last; i++) key |= (bytes[i] as number) << (24 - 8 * (i - start));
  return key;
}

/** The same in the order of heads, then of tails: a radix sort from the last byte on, in eight passes. */
export function sortKeys(keys: SortedTexts): SortedTexts {
  let from = keys;
  let to: SortedTexts = {
    order: new Int32Array(keys.order.length),
    heads: new Uint32Array(keys.order.length),
    tails: new Uint32Array(keys.order.length),
  };
  for (const part of ['tails', 'heads'] as const) {
    for (let shift = 0; shift < 32; shift += 8) {
      if (!scatter(from, to, part, shift)) continue;
      [from, to] = [to, from];
    }
  }
  return from;
}

/** Sorts by one byte, and keeps the order of those that have the same; false where all have the same. */
function scatter(from: SortedTexts, to: SortedTexts, part: 'heads' | 'tails', shift: number): boolean {
  const keys = from[part];
  const places = new Int32Array(256);
  for (let i = 0; i < keys.length; i++) {
    const value = ((keys[i] as number) >>> shift) & 255;
    places[value] = (places[value] as number) + 1;
  }
  if (places.includes(keys.length)) return false;
  let start = 0;
  for (let value = 0; value < 256; value++) {
    const count = places[value] as number;
    places[value] = start;
    start += count;
  }
  for (let i = 0; i < keys.length; i++) {
    const value = ((keys[i] as number) >>> shift) & 255;
    const place = places[value] as number;
    places[value] = place + 1;
    to.order[place] = from.order[i] as number;
    to.heads[place] = from.heads[i] as number;
    to.tails[place] = from.tails[i] as number;
  }
  return true;
}

/** The number of common first bytes of two neighbours in `sorted`, at most eight; zeros after a text count. */
export function sharedKeyBytes({ heads, tails }: SortedTexts, a: number, b: number): number {
  const head = (heads[a] as number) ^ (heads[b] as number);
  if (head !== 0) return Math.clz32(head) >>> 3;
  return KEY_BYTES + (Math.clz32((tails[a] as number) ^ (tails[b] as number)) >>> 3);
}

/** The byte of a text at `depth`, below `KEYS_BYTES`; 0 beyond its end. */
export function keyByte({ heads, tails }: SortedTexts, place: number, depth: number): number {
  const key = depth < KEY_BYTES ? heads[place] : tails[place];
  return ((key as number) >>> (24 - 8 * (depth % KEY_BYTES))) & 255;
}
