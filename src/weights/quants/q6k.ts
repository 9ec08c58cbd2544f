import { ggmlBlock } from '../blocks/ggml-block.js';
import { copyHalf, halfAt, putHalf } from '../blocks/halves.js';
import { integerAt, integerBytes, putIntegers, readWord } from '../blocks/integers.js';
import { largestMagnitude, type Quant } from './quant.js';

const PAIRS = 16;
const PAIR_BYTES = 32 + 2 * integerBytes(6);
const SUPER_BYTES = PAIRS + 4 * PAIR_BYTES;
const ZERO = 32;

/**
 * Start of pair `block` / 2 of the super-block at `base`: a word of each row, with the int8 scales of four halves of 16
 * columns.
 */
const pairAt = (base: number, block: number): number => base + PAIRS + (block >> 1) * PAIR_BYTES;
/** Start of the integers of block 0…7. */
const integersAt = (base: number, block: number): number => pairAt(base, block) + 32 + (block & 1) * integerBytes(6);

/**
 * 6 bits in super-blocks of 8 rows by 256 columns, as GGML's Q6_K: f16 d of rows 0…7, then four pairs of blocks of 32 columns:
 * a word of each row, whose bytes are the scales of four halves of 16 columns, int8, and the integers of both blocks
 * (blocks/integers.ts). value = (q − 32) · d · scale. 6.5625 bits a weight.
 */
export const q6k = {
  name: 'q6k',
  kernel: 'Q6k',
  bits: 6,
  ggml: 'Q6_K',
  activations: 'int8',
  blockColumns: 256,
  groupBytes: (columns) => Math.ceil(columns / 256) * SUPER_BYTES,

  /** ggml-common.h, block_q6_K: 128 bytes of low nibbles, 64 of upper bits, 16 int8 scales, f16 d. */
  ggmlBlock: ggmlBlock(256, 210, SUPER_BYTES, (rows, at, out, words, base, row) => {
    copyHalf(rows, at + 208, out, base + row * 2);
    for (let block = 0; block < 8; block++) {
      if ((block & 1) === 0) words[pairAt(base, block) / 4 + row] = readWord(rows, at + 192 + block * 2);
      repackBlock(rows, at, block, words, integersAt(base, block) / 4 + row);
    }
  }),

  packGroup(rows, columns, out) {
    out.fill(0);
    for (let block = 0; block * 256 < columns; block++) {
      for (let row = 0; row < 8; row++) {
        const values = rows.subarray(row * columns + block * 256, row * columns + Math.min(columns, block * 256 + 256));
        packRow(values, out, block * SUPER_BYTES, row);
      }
    }
  },

  unpackGroup(group, columns, out) {
    for (let block = 0; block * 32 < columns; block++) {
      const base = (block >> 3) * SUPER_BYTES;
      for (let row = 0; row < 8; row++) {
        const d = halfAt(group, base + row * 2);
        for (let i = 0; i < 32; i++) {
          const scale = group[pairAt(base, block & 7) + row * 4 + (block & 1) * 2 + (i >> 4)] as number;
          const factor = d * ((scale << 24) >> 24);
          out[row * columns + block * 32 + i] =
            (integerAt(group, integersAt(base, block & 7), row, 6, i) - ZERO) * factor;
        }
      }
    }
  },

  /** Half a step, which a scale that is rounded up makes as much larger as a 127th of the largest; and f16's rounding of d. */
  maxError(block) {
    const largest = largestMagnitude(block);
    return (largest / 31 + largest / (31 * 127)) / 2 + largest * 2 ** -9 + 127 * ZERO * 2 ** -25;
  },
} as const satisfies Quant;

/** Of 128 columns in four blocks the first two are in low nibbles, the others in high ones; their upper bits share bytes. */
function repackBlock(rows: Uint8Array, at: number, block: number, words: Uint32Array, first: number): void {
  const place = block & 3;
  const nibbles = at + (block >> 2) * 64 + (place & 1) * 32;
  const tops = at + 128 + (block >> 2) * 32;
  const shift = place > 1 ? 4 : 0;
  let low = 0;
  let high = 0;
  for (let step = 0; step < 4; step++) {
    const a = (readWord(rows, nibbles + step * 4) >>> shift) & 0x0f0f0f0f;
    const b = (readWord(rows, nibbles + 16 + step * 4) >>> shift) & 0x0f0f0f0f;
    words[first + step * 8] = a | (b << 4);
    low |= ((readWord(rows, tops + step * 4) >>> (2 * place)) & 0x03030303) << (2 * step);
    high |= ((readWord(rows, tops + 16 + step * 4) >>> (2 * place)) & 0x03030303) << (2 * step);
  }
  words[first + 32] = low;
  words[first + 40] = high;
}

/** One row of a super-block: scales are those of each half's largest magnitude, where GGML searches for better ones. */
function packRow(values: Float32Array, out: Uint8Array, base: number, row: number): void {
  const halves = Array.from({ length: values.length / 16 }, (_, half) => values.subarray(half * 16, half * 16 + 16));
  const scales = halves.map((half) => largestMagnitude(half) / (ZERO - 1));
  const d = putHalf(out, base + row * 2, (Math.max(...scales) / 127) * (1 + 2 ** -10), 'q6k');
  for (let block = 0; block * 32 < values.length; block++) {
    const integers = new Uint8Array(32);
    for (let half = 0; half < 2; half++) {
      const wanted = d === 0 ? 0 : Math.ceil((scales[block * 2 + half] as number) / d);
      const scale = Math.min(127, wanted);
      out[pairAt(base, block) + row * 4 + (block & 1) * 2 + half] = scale;
      for (let i = 0; i < 16; i++) {
        const ratio = scale === 0 ? 0 : (values[block * 32 + half * 16 + i] as number) / (d * scale);
        integers[half * 16 + i] = Math.min(63, Math.max(0, Math.round(ratio) + ZERO));
      }
    }
    putIntegers(out, integersAt(base, block), row, 6, integers);
  }
}
