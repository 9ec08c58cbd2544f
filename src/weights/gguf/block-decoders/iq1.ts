import { f16ToF32 } from '../../floats.js';
import { half, word16, type DecodeBlock } from './decode-block.js';
import { iq1sGrid } from './grids.js';

// Points of eight numbers −1, 0 or 1, an eighth up or down, under scales of three bits, 256 a block.
// Source: ggml-common.h and ggml-quants.c, dequantize_row_iq1_s, …_iq1_m.

/** Puts the eight numbers of `point`, moved by `delta`, at out[to]. */
function putPoint(out: Float32Array, to: number, point: number, scale: number, delta: number): void {
  for (let i = 0; i < 8; i++) out[to + i] = scale * ((iq1sGrid[point * 8 + i] as number) + delta);
}

/** f16 d, 32 bytes of a point's lowest bits, and for each 32 a word: four times three upper bits, the scale, the sign of the eighth. */
const iq1s: DecodeBlock = (bytes, at, out) => {
  const d = half(bytes, at);
  for (let i = 0; i < 32; i++) {
    const word = word16(bytes, at + 34 + (i >> 2) * 2);
    const point = (bytes[at + 2 + i] as number) | (((word >> (3 * (i & 3))) & 7) << 8);
    putPoint(out, i * 8, point, d * (2 * ((word >> 12) & 7) + 1), word & 0x8000 ? -0.125 : 0.125);
  }
};

/**
 * 32 bytes of lowest bits, and a nibble for each 8 (three upper bits, the sign). Then four words of four scales with a
 * quarter of d on top.
 */
const iq1m: DecodeBlock = (bytes, at, out) => {
  let bits = 0;
  for (let i = 0; i < 4; i++) bits |= (word16(bytes, at + 48 + i * 2) >> 12) << (4 * i);
  const d = f16ToF32(bits);
  for (let i = 0; i < 32; i++) {
    const nibble = ((bytes[at + 32 + (i >> 1)] as number) >> ((i & 1) * 4)) & 15;
    const point = (bytes[at + i] as number) | ((nibble & 7) << 8);
    const three = (word16(bytes, at + 48 + (i >> 3) * 2) >> (3 * ((i >> 1) & 3))) & 7;
    putPoint(out, i * 8, point, d * (2 * three + 1), nibble & 8 ? -0.125 : 0.125);
  }
};

export const iq1: Readonly<Record<string, DecodeBlock>> = { IQ1_S: iq1s, IQ1_M: iq1m };
