import { f16ToF32, f32ToF16 } from '../floats.js';
import { largestMagnitude, overflow, type Quant } from './quant.js';

const BLOCK_BYTES = 272;
const SCALES = 256;

/**
 * int8 with one f16 scale for 32 columns of a row. Per block of 32 columns 272 bytes: 256 int8, then the scales of rows
 * 0…7. The byte of (row r, column 4s + c) is at 32s + 4r + c. value = q · scale.
 *
 * As GGML's Q8_0 (ggml-quants.c, quantize_row_q8_0_ref), except that values are divided by the stored scale, rounded to
 * f16. That halves the worst error where scales are small.
 */
export const q8 = {
  name: 'q8',
  kernel: 'Q8',
  bits: 8,
  ggml: 'Q8_0',
  activations: 'int8',
  blockColumns: 32,
  block: { columns: 32, bytes: BLOCK_BYTES, scales: SCALES, zeroPoint: 0, deviation: 73.3 },
  groupBytes: (columns) => (columns / 32) * BLOCK_BYTES,

  packGroup(rows, columns, out) {
    for (let block = 0; block * 32 < columns; block++) {
      for (let row = 0; row < 8; row++) packBlock(rows, row * columns + block * 32, out, block * BLOCK_BYTES, row);
    }
  },

  unpackGroup(group, columns, out) {
    for (let block = 0; block * 32 < columns; block++) {
      const base = block * BLOCK_BYTES;
      for (let row = 0; row < 8; row++) {
        const at = base + SCALES + row * 2;
        const scale = f16ToF32((group[at] as number) | ((group[at + 1] as number) << 8));
        for (let i = 0; i < 32; i++) {
          const byte = group[base + (i >> 2) * 32 + row * 4 + (i & 3)] as number;
          out[row * columns + block * 32 + i] = ((byte << 24) >> 24) * scale;
        }
      }
    }
  },

  /** Half a scale; a subnormal scale may be 2^−25 off, which the largest value meets 127 times. */
  maxError(block) {
    const scale = largestMagnitude(block) / 127;
    return (scale / 2) * (1 + 2 ** -11) + (scale < 2 ** -14 ? 2 ** -18 : 0);
  },
} as const satisfies Quant;

function packBlock(rows: Float32Array, start: number, out: Uint8Array, base: number, row: number): void {
  let largest = 0;
  for (let i = 0; i < 32; i++) {
    const magnitude = Math.abs(rows[start + i] as number);
    if (magnitude > largest) largest = magnitude;
  }
  const bits = f32ToF16(Math.fround(largest / 127));
  if (bits === 0x7c00) throw overflow('q8', largest, 127 * 65_504);
  const scaleAt = base + SCALES + row * 2;
  out[scaleAt] = bits & 255;
  out[scaleAt + 1] = bits >> 8;
  const scale = f16ToF32(bits);
  const inverse = scale === 0 ? 0 : 1 / scale;
  for (let step = 0; step < 8; step++) {
    const from = start + step * 4;
    const to = base + step * 32 + row * 4;
    out[to] = roundToInt8((rows[from] as number) * inverse);
    out[to + 1] = roundToInt8((rows[from + 1] as number) * inverse);
    out[to + 2] = roundToInt8((rows[from + 2] as number) * inverse);
    out[to + 3] = roundToInt8((rows[from + 3] as number) * inverse);
  }
}

/** Half away from zero, kept in [−127, 127], as GGML's; a GGUF file may bring −128, and kernels take it. */
function roundToInt8(x: number): number {
  const rounded = (x < 0 ? x - 0.5 : x + 0.5) | 0;
  return rounded > 127 ? 127 : rounded < -127 ? -127 : rounded;
}
