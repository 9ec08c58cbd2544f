import { f16ToF32, f32ToF16 } from '../floats.js';
import { packQ4Block } from './q4.js';
import { largestMagnitude, overflow, type Quant } from './quant.js';

const BLOCK_BYTES = 160;
const SCALES = 128;
const MINIMA = 144;
const F16_MOST = 65_504;

/**
 * 4 bits with a scale and a minimum, both f16, for 32 columns of a row. Per block of 32 columns 160 bytes: nibbles and
 * scales where q4 has them, then the minima of rows 0…7. value = nibble · scale + minimum.
 *
 * Integers, scales and minima are those of GGML's Q4_1 (ggml-quants.c, quantize_row_q4_1_ref). Only a block that ends in
 * zero, as padding does, is stored as q4 would store it, under a minimum of −8 scales: so zero stays zero.
 */
export const q4m = {
  name: 'q4m',
  kernel: 'Q4m',
  bits: 4,
  ggml: 'Q4_1',
  activations: 'int8',
  blockColumns: 32,
  block: { columns: 32, bytes: BLOCK_BYTES, scales: SCALES, minima: MINIMA, zeroPoint: 0, deviation: 4.61 },
  groupBytes: (columns) => (columns / 32) * BLOCK_BYTES,

  packGroup(rows, columns, out) {
    for (let block = 0; block * 32 < columns; block++) {
      for (let row = 0; row < 8; row++) {
        const start = row * columns + block * 32;
        const pack = rows[start + 31] === 0 ? packCentred : packBlock;
        pack(rows, start, out, block * BLOCK_BYTES, row);
      }
    }
  },

  unpackGroup(group, columns, out) {
    const half = (at: number): number => f16ToF32((group[at] as number) | ((group[at + 1] as number) << 8));
    for (let block = 0; block * 32 < columns; block++) {
      const base = block * BLOCK_BYTES;
      for (let row = 0; row < 8; row++) {
        const scale = half(base + SCALES + row * 2);
        const minimum = half(base + MINIMA + row * 2);
        const to = row * columns + block * 32;
        for (let i = 0; i < 16; i++) {
          const byte = group[base + (i >> 2) * 32 + row * 4 + (i & 3)] as number;
          out[to + i] = (byte & 15) * scale + minimum;
          out[to + 16 + i] = (byte >> 4) * scale + minimum;
        }
      }
    }
  },

  /**
   * Half a scale, and what rounding to f16 costs: 2^−11 of scale and minimum, or 2^−25 among the subnormal numbers. A
   * block that ends in zero has the scale of q4, an eighth of the largest magnitude, and its bound.
   */
  maxError(block) {
    const largest = largestMagnitude(block);
    const centred = block.length < 32 || block[31] === 0;
    const scale = (centred ? largest : Math.max(...block) - Math.min(...block)) / (centred ? 8 : 15);
    const rounding = largest * 2 ** -11 + (scale < 2 ** -14 ? 2 ** -21 : 2 ** -25);
    return scale * (centred ? 1 + 2 ** -8 : 0.5 + 2 ** -6) + rounding;
  },
} as const satisfies Quant;

function packCentred(rows: Float32Array, start: number, out: Uint8Array, base: number, row: number): void {
  const scale = f16ToF32(packQ4Block(rows, start, out, base, row));
  if (Math.abs(scale) * 8 > F16_MOST) throw overflow('q4m', Math.abs(scale) * 8, F16_MOST);
  putHalf(out, base + MINIMA + row * 2, f32ToF16(-8 * scale));
}

function packBlock(rows: Float32Array, start: number, out: Uint8Array, base: number, row: number): void {
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < 32; i++) {
    const value = rows[start + i] as number;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const exact = Math.fround(Math.fround(most - least) / 15);
  const scale = f32ToF16(exact);
  const minimum = f32ToF16(least);
  if (isInfinite(scale) || isInfinite(minimum)) {
    throw overflow('q4m', Math.max(Math.abs(most), Math.abs(least)), F16_MOST);
  }
  putHalf(out, base + SCALES + row * 2, scale);
  putHalf(out, base + MINIMA + row * 2, minimum);
  const inverse = exact === 0 ? 0 : Math.fround(1 / exact);
  for (let i = 0; i < 16; i++) {
    const low = toNibble(rows[start + i] as number, least, inverse);
    const high = toNibble(rows[start + 16 + i] as number, least, inverse);
    out[base + (i >> 2) * 32 + row * 4 + (i & 3)] = low | (high << 4);
  }
}

function toNibble(x: number, least: number, inverse: number): number {
  const nibble = Math.fround(Math.fround(Math.fround(x - least) * inverse) + 0.5) | 0;
  return nibble > 15 ? 15 : nibble < 0 ? 0 : nibble;
}

function putHalf(out: Uint8Array, at: number, bits: number): void {
  out[at] = bits & 255;
  out[at + 1] = bits >> 8;
}

function isInfinite(bits: number): boolean {
  return (bits & 0x7c00) === 0x7c00;
}
