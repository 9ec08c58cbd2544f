import { f16ToF32, f32ToF16 } from '../floats.js';
import { largestMagnitude, overflow, type Quant } from './quant.js';

/** binary16, rounded to nearest even. Group: for each column 8 u16, one a row: 16 bytes a column. */
export const f16 = {
  name: 'f16',
  kernel: 'F16',
  bits: 16,
  ggml: 'F16',
  activations: 'f32',
  blockColumns: 32,
  groupBytes: (columns) => columns * 16,

  packGroup(rows, columns, out) {
    const packed = new Uint16Array(out.buffer, out.byteOffset, columns * 8);
    for (let row = 0; row < 8; row++) {
      const start = row * columns;
      for (let k = 0; k < columns; k++) {
        const bits = f32ToF16(rows[start + k] as number);
        if ((bits & 0x7c00) === 0x7c00) throw overflow('f16', Math.abs(rows[start + k] as number), 65_504);
        packed[k * 8 + row] = bits;
      }
    }
  },

  unpackGroup(group, columns, out) {
    const packed = new Uint16Array(group.buffer, group.byteOffset, columns * 8);
    for (let row = 0; row < 8; row++) {
      for (let k = 0; k < columns; k++) out[row * columns + k] = f16ToF32(packed[k * 8 + row] as number);
    }
  },

  /** 11 significant bits: half a unit is 2^−11 of the value, and 2^−25 among the subnormal numbers. */
  maxError: (block) => largestMagnitude(block) * 2 ** -11 + 2 ** -25,
} as const satisfies Quant;
