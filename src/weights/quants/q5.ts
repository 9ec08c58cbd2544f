import { centredError, fifthBitBlock, packCentred, SCALES, unpackFifthBits } from '../blocks/fifth-bits.js';
import type { Quant } from './quant.js';

const BLOCK_BYTES = SCALES + 16;

/** 5 bits with one f16 scale for 32 columns of a row (blocks/fifth-bits.ts): integers and scales of GGML's Q5_0. value = (q − 16) · scale. */
export const q5 = {
  name: 'q5',
  kernel: 'Q5',
  bits: 5,
  ggml: 'Q5_0',
  activations: 'int8',
  blockColumns: 32,
  ggmlBlock: fifthBitBlock(false),
  groupBytes: (columns) => (columns / 32) * BLOCK_BYTES,

  packGroup(rows, columns, out) {
    for (let block = 0; block * 32 < columns; block++) {
      for (let row = 0; row < 8; row++) {
        packCentred(rows, row * columns + block * 32, out, block * BLOCK_BYTES, row, 'q5');
      }
    }
  },

  unpackGroup: (group, columns, out) => unpackFifthBits(group, columns, out, false),
  maxError: centredError,
} as const satisfies Quant;
