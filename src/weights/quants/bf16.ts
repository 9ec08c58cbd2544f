import { f32BitsToBf16, bf16ArrayToF32 } from '../floats.js';
import { largestMagnitude, overflow, type Quant } from './quant.js';

// Half of the distance from the largest finite bfloat16 to what would be the next.
const LARGEST = 2 ** 128 - 2 ** 119;

/** bfloat16, rounded to nearest even. Group: for each column 8 u16, one a row: 16 bytes a column. */
export const bf16 = {
  name: 'bf16',
  kernel: 'Bf16',
  bits: 16,
  ggml: 'BF16',
  activations: 'f32',
  blockColumns: 32,
  groupBytes: (columns) => columns * 16,

  packGroup(rows, columns, out) {
    const bits = new Uint32Array(rows.buffer, rows.byteOffset, columns * 8);
    const packed = new Uint16Array(out.buffer, out.byteOffset, columns * 8);
    for (let row = 0; row < 8; row++) {
      const start = row * columns;
      for (let k = 0; k < columns; k++) {
        const rounded = f32BitsToBf16(bits[start + k] as number);
        if ((rounded & 0x7f80) === 0x7f80) throw overflow('bf16', Math.abs(rows[start + k] as number), LARGEST);
        packed[k * 8 + row] = rounded;
      }
    }
  },

  unpackGroup(group, columns, out) {
    const packed = new Uint16Array(group.buffer, group.byteOffset, columns * 8);
    const values = new Float32Array(columns * 8);
    bf16ArrayToF32(packed, values);
    for (let row = 0; row < 8; row++) {
      for (let k = 0; k < columns; k++) out[row * columns + k] = values[k * 8 + row] as number;
    }
  },

  /** 8 significant bits: half a unit is 2^−8 of the value, and 2^−134 among the subnormal numbers. */
  maxError: (block) => largestMagnitude(block) * 2 ** -8 + 2 ** -134,
} as const satisfies Quant;
