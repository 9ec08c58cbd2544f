import type { Quant } from './quant.js';

/** float32 as it is. Group: for each column 8 f32, one a row: 32 bytes a column. */
export const f32 = {
  name: 'f32',
  kernel: 'F32',
  bits: 32,
  ggml: 'F32',
  activations: 'f32',
  blockColumns: 32,
  groupBytes: (columns) => columns * 32,

  packGroup(rows, columns, out) {
    const packed = new Float32Array(out.buffer, out.byteOffset, columns * 8);
    for (let row = 0; row < 8; row++) {
      const start = row * columns;
      for (let k = 0; k < columns; k++) packed[k * 8 + row] = rows[start + k] as number;
    }
  },

  unpackGroup(group, columns, out) {
    const packed = new Float32Array(group.buffer, group.byteOffset, columns * 8);
    for (let row = 0; row < 8; row++) {
      for (let k = 0; k < columns; k++) out[row * columns + k] = packed[k * 8 + row] as number;
    }
  },

  maxError: () => 0,
} as const satisfies Quant;
