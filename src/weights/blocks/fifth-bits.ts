import { ggmlBlock } from './ggml-block.js';
import { copyHalf, halfAt, putHalf } from './halves.js';
import { integerAt, integerBytes, putIntegers, readWord } from './integers.js';
import { largestMagnitude, type GgmlBlock } from '../quants/quant.js';

// Five bits with a scale, and with q5m a minimum, both f16, for 32 columns of a row: shared by q5.ts and q5m.ts. Per
// block of 32 columns 128 bytes of nibbles, 32 of fifth bits (integers.ts), the scales of rows 0…7, their minima.

/** Offset of scales and minima in a block. */
export const SCALES = integerBytes(5);
export const MINIMA = SCALES + 16;

/** A nibble's four bits as the lowest bits of four bytes. */
const SPREAD = Uint32Array.from({ length: 16 }, (_, n) => (n & 1) | ((n & 2) << 7) | ((n & 4) << 14) | ((n & 8) << 21));

/** The blocks of GGML's Q5_0 (ggml-common.h, block_q5_0): f16 scale, with Q5_1 f16 minimum; 32 fifth bits; 16 bytes of nibbles. */
export function fifthBitBlock(hasMinima: boolean): GgmlBlock {
  const halves = hasMinima ? 2 : 1;
  const integers = halves * 2;
  return ggmlBlock(32, integers + 20, SCALES + halves * 16, (rows, at, out, words, base, row) => {
    for (let half = 0; half < halves; half++) copyHalf(rows, at + half * 2, out, base + SCALES + half * 16 + row * 2);
    const bits = readWord(rows, at + integers);
    let fifth = 0;
    for (let step = 0; step < 8; step++) fifth |= (SPREAD[(bits >>> (4 * step)) & 15] as number) << step;
    const word = base / 4 + row;
    for (let step = 0; step < 4; step++) words[word + step * 8] = readWord(rows, at + integers + 4 + step * 4);
    words[word + 32] = fifth;
  });
}

/** Five-bit blocks with a zero point of 16, one row of a block. Source: ggml-quants.c, quantize_row_q5_0_ref. */
export function packCentred(
  rows: Float32Array,
  start: number,
  out: Uint8Array,
  base: number,
  row: number,
  quant: string,
): number {
  let largest = 0;
  let extreme = 0;
  for (let i = 0; i < 32; i++) {
    const value = rows[start + i] as number;
    if (Math.abs(value) > largest) {
      largest = Math.abs(value);
      extreme = value;
    }
  }
  const exact = Math.fround(extreme / -16);
  const scale = putHalf(out, base + SCALES + row * 2, exact, quant);
  // As GGML's: by the scale before it is rounded.
  const inverse = scale === 0 ? 0 : Math.fround(1 / exact);
  const integers = new Uint8Array(32);
  for (let i = 0; i < 32; i++) {
    const scaled = Math.fround(Math.fround((rows[start + i] as number) * inverse) + 16.5) | 0;
    integers[i] = Math.min(31, Math.max(0, scaled));
  }
  putIntegers(out, base, row, 5, integers);
  return scale;
}

/** One packed group → f32 [8, columns]. */
export function unpackFifthBits(group: Uint8Array, columns: number, out: Float32Array, hasMinima: boolean): void {
  const bytes = SCALES + (hasMinima ? 32 : 16);
  for (let block = 0; block * 32 < columns; block++) {
    const base = block * bytes;
    for (let row = 0; row < 8; row++) {
      const scale = halfAt(group, base + SCALES + row * 2);
      const minimum = hasMinima ? halfAt(group, base + MINIMA + row * 2) : 0;
      const zero = hasMinima ? 0 : 16;
      for (let i = 0; i < 32; i++) {
        const product = (integerAt(group, base, row, 5, i) - zero) * scale;
        out[row * columns + block * 32 + i] = hasMinima ? product + minimum : product;
      }
    }
  }
}

/** As for q4, with 16 steps where that has 8. */
export function centredError(block: Float32Array): number {
  const scale = largestMagnitude(block) / 16;
  return scale * (1 + 2 ** -7) + (scale < 2 ** -14 ? 2 ** -21 : 0);
}
