import { ggmlBlock } from './ggml-block.js';
import { copyHalf, halfAt, putHalf } from './halves.js';
import { integerAt, integerBytes, putIntegers, readWord } from './integers.js';
import { largestMagnitude, type GgmlBlock, type Quant } from '../quants/quant.js';

// Super-blocks of 8 rows by 256 columns: shared by q4k.ts and q5k.ts. First the f16 d of rows 0…7, their f16 dmin, and
// three words of each row, [3][8] u32: the twelve bytes of GGML's scales, with six bits for the scale and the minimum
// of each of eight blocks of 32 columns. Then the integers of the eight blocks (integers.ts). value = q · d · scale −
// dmin · minimum.

const WORDS = 32;
const HEAD = 128;

/** Bytes of a super-block. */
function superBytes(bits: 4 | 5): number {
  return HEAD + 8 * integerBytes(bits);
}

/** Bytes of a group: whole super-blocks. */
function groupBytes(bits: 4 | 5, columns: number): number {
  return Math.ceil(columns / 256) * superBytes(bits);
}

/** Scale and minimum of block `j` of a row whose twelve bytes lie four by four, `step` apart, from `at` on. Source: ggml-quants.c, get_scale_min_k4. */
function scaleAndMinimum(bytes: Uint8Array, at: number, step: number, j: number): [number, number] {
  const a = bytes[at + (j & 3)] as number;
  const b = bytes[at + step + (j & 3)] as number;
  if (j < 4) return [a & 63, b & 63];
  const c = bytes[at + 2 * step + (j & 3)] as number;
  return [(c & 15) | ((a >> 6) << 4), (c >> 4) | ((b >> 6) << 4)];
}

/** The reverse: eight scales and minima of six bits. */
function putScales(out: Uint8Array, at: number, scales: readonly number[], minima: readonly number[]): void {
  for (let j = 0; j < 4; j++) {
    const [scale, minimum] = [scales[4 + j] as number, minima[4 + j] as number];
    out[at + j] = (scales[j] as number) | ((scale >> 4) << 6);
    out[at + 32 + j] = (minima[j] as number) | ((minimum >> 4) << 6);
    out[at + 64 + j] = (scale & 15) | ((minimum & 15) << 4);
  }
}

/** The blocks of Q4_K and Q5_K (ggml-common.h): f16 d, f16 dmin, 12 bytes of scales, with Q5_K 32 of fifth bits, 128 of nibbles. */
function blockOfFile(bits: 4 | 5): GgmlBlock {
  return ggmlBlock(256, bits === 4 ? 144 : 176, superBytes(bits), (rows, at, out, words, base, row) => {
    copyHalf(rows, at, out, base + row * 2);
    copyHalf(rows, at + 2, out, base + 16 + row * 2);
    for (let i = 0; i < 3; i++) words[(base + WORDS) / 4 + i * 8 + row] = readWord(rows, at + 4 + i * 4);
    repackIntegers(rows, at, words, (base + HEAD) / 4 + row, bits);
  });
}

/**
 * Of 64 columns the file has the first 32 in low nibbles, the others in high ones. Bit j of a fifth byte belongs to
 * block j.
 */
function repackIntegers(rows: Uint8Array, at: number, words: Uint32Array, first: number, bits: 4 | 5): void {
  const stride = integerBytes(bits) / 4;
  const nibbles = at + (bits === 4 ? 16 : 48);
  for (let pair = 0; pair < 4; pair++) {
    const even = first + 2 * pair * stride;
    for (let step = 0; step < 4; step++) {
      const a = readWord(rows, nibbles + pair * 32 + step * 4);
      const b = readWord(rows, nibbles + pair * 32 + 16 + step * 4);
      words[even + step * 8] = (a & 0x0f0f0f0f) | ((b & 0x0f0f0f0f) << 4);
      words[even + stride + step * 8] = ((a >>> 4) & 0x0f0f0f0f) | (b & 0xf0f0f0f0);
    }
  }
  if (bits === 4) return;
  for (let block = 0; block < 8; block++) {
    let fifth = 0;
    for (let step = 0; step < 8; step++) fifth |= ((readWord(rows, at + 16 + step * 4) >>> block) & 0x01010101) << step;
    words[first + block * stride + 32] = fifth;
  }
}

/** Properties of a quant with integers of this many bits. */
export function superBlocks(
  name: string,
  bits: 4 | 5,
): Pick<Quant, 'activations' | 'ggmlBlock' | 'groupBytes' | 'packGroup' | 'unpackGroup' | 'maxError'> & {
  readonly blockColumns: 256;
} {
  const most = 2 ** bits - 1;
  return {
    activations: 'int8',
    blockColumns: 256,
    ggmlBlock: blockOfFile(bits),
    groupBytes: (columns) => groupBytes(bits, columns),

    packGroup(rows, columns, out) {
      out.fill(0);
      for (let block = 0; block * 256 < columns; block++) {
        for (let row = 0; row < 8; row++) {
          const values = rows.subarray(
            row * columns + block * 256,
            row * columns + Math.min(columns, block * 256 + 256),
          );
          packRow(name, values, out, block * superBytes(bits), row, bits);
        }
      }
    },

    unpackGroup(group, columns, out) {
      for (let block = 0; block * 32 < columns; block++) {
        const base = (block >> 3) * superBytes(bits);
        const integers = base + HEAD + (block & 7) * integerBytes(bits);
        for (let row = 0; row < 8; row++) {
          const [scale, minimum] = scaleAndMinimum(group, base + WORDS + row * 4, 32, block & 7);
          const factor = halfAt(group, base + row * 2) * scale;
          const offset = halfAt(group, base + 16 + row * 2) * minimum;
          const to = row * columns + block * 32;
          for (let i = 0; i < 32; i++) out[to + i] = integerAt(group, integers, row, bits, i) * factor - offset;
        }
      }
    },

    /**
     * Half a step, and what six bits cost: half of a 63rd of the largest scale for each of all steps, half of a 63rd of the
     * largest minimum. Centred (below) a scale is rounded up instead. And f16's rounding of d and dmin.
     */
    maxError(block) {
      const magnitude = largestMagnitude(block);
      const scale = (2 * magnitude) / (most - 1);
      return scale / 2 + (scale / 63) * (most / 2 + 1) + magnitude / 100 + magnitude * 2 ** -9 + 63 * most * 2 ** -25;
    },
  };
}

/**
 * One row of a super-block. Scales and minima are those of each block's range, where GGML searches for better ones. When a block
 * ends in zero, as padding does, all are centred instead: every minimum is half of all steps, so that zero stays zero.
 */
function packRow(name: string, values: Float32Array, out: Uint8Array, base: number, row: number, bits: 4 | 5): void {
  const most = 2 ** bits - 1;
  const blocks = Array.from({ length: values.length / 32 }, (_, block) => values.subarray(block * 32, block * 32 + 32));
  const isCentred = values.length < 256 || blocks.some((block) => block[31] === 0);
  const zero = 2 ** (bits - 1);
  const ranges = blocks.map((block) => {
    let least = 0;
    let largest = 0;
    for (let i = 0; i < 32; i++) {
      least = Math.min(least, block[i] as number);
      largest = Math.max(largest, block[i] as number);
    }
    if (isCentred) return { scale: Math.max(-least, largest) / (zero - 1), minimum: 0 };
    return { scale: (largest - least) / most, minimum: -least };
  });
  const step = Math.max(...ranges.map(({ scale }) => scale)) / 63;
  const d = putHalf(out, base + row * 2, step * (isCentred ? 1 + 2 ** -10 : 1), name);
  const wanted = isCentred ? d * zero : Math.max(...ranges.map(({ minimum }) => minimum)) / 63;
  const dmin = putHalf(out, base + 16 + row * 2, wanted, name);
  const toSix = (x: number): number => (Number.isFinite(x) ? Math.min(63, Math.max(0, x)) : 0);
  const scales = ranges.map(({ scale }) => toSix(isCentred ? Math.ceil(scale / d) : Math.round(scale / d)));
  const minima = isCentred ? scales : ranges.map(({ minimum }) => toSix(Math.round(minimum / dmin)));
  const eight = (list: readonly number[]): number[] => Array.from({ length: 8 }, (_, j) => list[j] ?? 0);
  putScales(out, base + WORDS + row * 4, eight(scales), eight(minima));
  const integers = new Uint8Array(32);
  for (const [index, block] of blocks.entries()) {
    const factor = d * (scales[index] as number);
    const offset = dmin * (minima[index] as number);
    for (let i = 0; i < 32; i++) {
      const integer = Math.round(((block[i] as number) + offset) / factor);
      integers[i] = factor === 0 ? 0 : Math.min(most, Math.max(0, integer));
    }
    putIntegers(out, base + HEAD + index * integerBytes(bits), row, bits, integers);
  }
}
