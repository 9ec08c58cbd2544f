const CONTINUATION = [0x80, 0xbf] as const;

/**
 * How many bytes from `at` on become one code point: a whole one, or one U+FFFD for its longest valid beginning,
 * otherwise for one byte. Source: The Unicode Standard, 3.9, substitution of maximal subparts, as the WHATWG's decoders
 * do it.
 */
export function decodedLength(bytes: ArrayLike<number>, at: number): number {
  const byte = bytes[at] as number;
  const length =
    byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
  for (let count = 1; count < length; count++) {
    const next = bytes[at + count];
    const [low, high] = count === 1 ? secondByteRange(byte) : CONTINUATION;
    if (next === undefined || next < low || next > high) return count;
  }
  return length;
}

/** The range of valid second bytes of a code point. Source: The Unicode Standard, table 3-7. */
export function secondByteRange(first: number): readonly [number, number] {
  return [first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80, first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf];
}

/** Size of one memory for many short texts. */
const SLAB_BYTES = 64 * 1024;

/** Encodes many short texts into shared memories: a memory for each would take some 300 bytes. */
export function createSlabEncoder(): (text: string) => Uint8Array {
  const encoder = new TextEncoder();
  let slab = new Uint8Array(0);
  let end = 0;
  return (text) => {
    // A code unit takes three bytes at most.
    const most = text.length * 3;
    if (most > SLAB_BYTES) return encoder.encode(text);
    if (end + most > slab.length) {
      slab = new Uint8Array(SLAB_BYTES);
      end = 0;
    }
    const start = end;
    end += encoder.encodeInto(text, slab.subarray(start)).written;
    return slab.subarray(start, end);
  };
}
