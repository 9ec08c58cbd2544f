// How the integers of 32 columns of a row lie in a block of 8 rows: 128 bytes of nibbles, then planes of the upper
// bits, 32 bytes each. The four columns of a step lie side by side; a row's are 4 bytes, the rows one after the other.
// Step s of the first 16 columns has the low nibbles, step s of the last 16 the high ones. Of five bits the fifth is
// bit s (first 16) or 4 + s of its byte. Of six bits the upper two are bits 2s and 2s + 1. The first 16 columns are in
// one plane, the last in another.

/** Bits of an integer in such a block. */
export type IntegerBits = 4 | 5 | 6;

/** Bytes of 32 columns of 8 rows. */
export function integerBytes(bits: IntegerBits): number {
  return bits * 32;
}

/** Offset in a block of the word with four columns of `row`: those of step s. */
function wordAt(base: number, step: number, row: number): number {
  return base + step * 32 + row * 4;
}

/** Puts 32 `integers` as `row` of the block at `base`, whose planes are zero for that row. */
export function putIntegers(
  out: Uint8Array,
  base: number,
  row: number,
  bits: IntegerBits,
  integers: ArrayLike<number>,
): void {
  for (let i = 0; i < 16; i++) {
    const low = integers[i] as number;
    const high = integers[16 + i] as number;
    const step = i >> 2;
    out[wordAt(base, step, row) + (i & 3)] = (low & 15) | ((high & 15) << 4);
    const plane = wordAt(base, 4, row) + (i & 3);
    if (bits === 5) {
      out[plane] = (step === 0 ? 0 : (out[plane] as number)) | ((low >> 4) << step) | ((high >> 4) << (4 + step));
    } else if (bits === 6) {
      const shift = 2 * step;
      out[plane] = (step === 0 ? 0 : (out[plane] as number)) | ((low >> 4) << shift);
      out[plane + 32] = (step === 0 ? 0 : (out[plane + 32] as number)) | ((high >> 4) << shift);
    }
  }
}

/** The integer of (row, column 0…31) of the block at `base`. */
export function integerAt(group: Uint8Array, base: number, row: number, bits: IntegerBits, column: number): number {
  const step = (column & 15) >> 2;
  const isHigh = column > 15;
  const inWord = column & 3;
  const nibbles = group[wordAt(base, step, row) + inWord] as number;
  const nibble = isHigh ? nibbles >> 4 : nibbles & 15;
  if (bits === 4) return nibble;
  const plane = wordAt(base, 4, row) + inWord;
  if (bits === 5) return nibble | ((((group[plane] as number) >> (step + (isHigh ? 4 : 0))) & 1) << 4);
  return nibble | ((((group[plane + (isHigh ? 32 : 0)] as number) >> (2 * step)) & 3) << 4);
}

/** Four bytes as a number of 32 bits. */
export function readWord(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}
