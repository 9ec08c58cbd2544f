import { f16ToF32, f32ToF16 } from '../floats.js';
import { largestMagnitude, overflow, type Quant } from './quant.js';

const BLOCK_BYTES = 144;
const SCALES = 128;

/**
 * 4 bits with one f16 scale for 32 columns of a row. Per block of 32 columns 144 bytes: 128 bytes of nibbles, then the
 * scales of rows 0…7. The byte at 32s + 4r + c (s = 0…3) holds two: (row r, column 4s + c) in its low nibble. (row r,
 * column 16 + 4s + c) in its high one. value = (nibble − 8) · scale.
 *
 * Integers and scales are those of GGML's Q4_0 (ggml-quants.c, quantize_row_q4_0_ref), in float32 as there. The scale
 * is a −8th of the value of largest magnitude, which is therefore exact.
 */
export const q4 = {
  name: 'q4',
  kernel: 'Q4',
  bits: 4,
  ggml: 'Q4_0',
  activations: 'int8',
  blockColumns: 32,
  block: { columns: 32, bytes: BLOCK_BYTES, scales: SCALES, zeroPoint: 8, deviation: 4.61 },
  groupBytes: (columns) => (columns / 32) * BLOCK_BYTES,

  packGroup(rows, columns, out) {
    for (let block = 0; block * 32 < columns; block++) {
      for (let row = 0; row < 8; row++) packQ4Block(rows, row * columns + block * 32, out, block * BLOCK_BYTES, row);
    }
  },

  unpackGroup(group, columns, out) {
    for (let block = 0; block * 32 < columns; block++) {
      const base = block * BLOCK_BYTES;
      for (let row = 0; row < 8; row++) {
        const at = base + SCALES + row * 2;
        const scale = f16ToF32((group[at] as number) | ((group[at + 1] as number) << 8));
        const to = row * columns + block * 32;
        for (let i = 0; i < 16; i++) {
          const byte = group[base + (i >> 2) * 32 + row * 4 + (i & 3)] as number;
          out[to + i] = ((byte & 15) - 8) * scale;
          out[to + 16 + i] = ((byte >> 4) - 8) * scale;
        }
      }
    }
  },

  /**
   * One scale: a value as large as the largest but of the other sign would need 8 steps and gets 7. The scale's own
   * rounding (2^−11 of it, or 2^−25 when subnormal) counts up to 8 times.
   */
  maxError(block) {
    const scale = largestMagnitude(block) / 8;
    return scale * (1 + 2 ** -8) + (scale < 2 ** -14 ? 2 ** -22 : 0);
  },
} as const satisfies Quant;

/**
 * Packs 32 values from `start` on as row `row` of the block at `base`, and gives its scale as f16 bits.
 * Errors: `weight_overflow`.
 */
export function packQ4Block(rows: Float32Array, start: number, out: Uint8Array, base: number, row: number): number {
  let largest = 0;
  let extreme = 0;
  for (let i = 0; i < 32; i++) {
    const value = rows[start + i] as number;
    const magnitude = Math.abs(value);
    if (magnitude > largest) {
      largest = magnitude;
      extreme = value;
    }
  }
  const exact = Math.fround(extreme / -8);
  const bits = f32ToF16(exact);
  if ((bits & 0x7c00) === 0x7c00) throw overflow('q4', largest, 8 * 65_504);
  const scaleAt = base + SCALES + row * 2;
  out[scaleAt] = bits & 255;
  out[scaleAt + 1] = bits >> 8;
  const inverse = (bits & 0x7fff) === 0 ? 0 : Math.fround(1 / exact);
  for (let step = 0; step < 4; step++) {
    const from = start + step * 4;
    const to = base + step * 32 + row * 4;
    for (let c = 0; c < 4; c++) {
      const low = toNibble(rows[from + c] as number, inverse);
      out[to + c] = low | (toNibble(rows[from + 16 + c] as number, inverse) << 4);
    }
  }
  return bits;
}

function toNibble(x: number, inverse: number): number {
  const nibble = Math.fround(Math.fround(x * inverse) + 8.5) | 0;
  return nibble > 15 ? 15 : nibble < 0 ? 0 : nibble;
}
