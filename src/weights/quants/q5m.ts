import { centredError, fifthBitBlock, MINIMA, packCentred, SCALES, unpackFifthBits } from '../blocks/fifth-bits.js';
import { putHalf } from '../blocks/halves.js';
import { putIntegers } from '../blocks/integers.js';
import { largestMagnitude, type Quant } from './quant.js';

const BLOCK_BYTES = MINIMA + 16;

/**
 * 5 bits with a scale and a minimum for 32 columns of a row (blocks/fifth-bits.ts): integers, scales and minima of GGML's Q5_1.
 * value = q · scale + minimum. A block that ends in zero, as padding does, is stored as q5 would store it, under a minimum of
 * −16 scales: so zero stays zero.
 */
export const q5m = {
  name: 'q5m',
  kernel: 'Q5m',
  bits: 5,
  ggml: 'Q5_1',
  activations: 'int8',
  blockColumns: 32,
  ggmlBlock: fifthBitBlock(true),
  groupBytes: (columns) => (columns / 32) * BLOCK_BYTES,

  packGroup(rows, columns, out) {
    for (let block = 0; block * 32 < columns; block++) {
      for (let row = 0; row < 8; row++) {
        const start = row * columns + block * 32;
        const base = block * BLOCK_BYTES;
        if (rows[start + 31] === 0) {
          const scale = packCentred(rows, start, out, base, row, 'q5m');
          putHalf(out, base + MINIMA + row * 2, -16 * scale, 'q5m');
        } else packBlock(rows, start, out, base, row);
      }
    }
  },

  unpackGroup: (group, columns, out) => unpackFifthBits(group, columns, out, true),

  /** Half a scale, and what rounding scale and minimum to f16 costs; of a block that ends in zero the bound of q5. */
  maxError(block) {
    if (block.length < 32 || block[31] === 0) return centredError(block);
    const scale = (Math.max(...block) - Math.min(...block)) / 31;
    const rounding = largestMagnitude(block) * 2 ** -10 + (scale < 2 ** -14 ? 2 ** -20 : 2 ** -25);
    return scale * (0.5 + 2 ** -5) + rounding;
  },
} as const satisfies Quant;

/** Source: ggml-quants.c, quantize_row_q5_1_ref. */
function packBlock(rows: Float32Array, start: number, out: Uint8Array, base: number, row: number): void {
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < 32; i++) {
    least = Math.min(least, rows[start + i] as number);
    most = Math.max(most, rows[start + i] as number);
  }
  const exact = Math.fround(Math.fround(most - least) / 31);
  putHalf(out, base + SCALES + row * 2, exact, 'q5m');
  putHalf(out, base + MINIMA + row * 2, least, 'q5m');
  const inverse = exact === 0 ? 0 : Math.fround(1 / exact);
  const integers = new Uint8Array(32);
  for (let i = 0; i < 32; i++) {
    const scaled = Math.fround(Math.fround(Math.fround((rows[start + i] as number) - least) * inverse) + 0.5) | 0;
    integers[i] = Math.min(31, Math.max(0, scaled));
  }
  putIntegers(out, base, row, 5, integers);
}
