import { half, word16, type DecodeBlock } from './decode-block.js';
import { iq2sGrid, iq2xsGrid, iq2xxsGrid, iq3sGrid, iq3xxsGrid } from './grids.js';

// Super-blocks of 256 whose numbers are points of a grid, with a sign each, under an f16 d and scales of four bits.
// Source: ggml-common.h and ggml-quants.c, dequantize_row_iq2_xxs, …_iq2_xs, …_iq2_s, …_iq3_xxs, …_iq3_s.

/** Signs of eight numbers in seven bits: their number is even. */
function evenSigns(seven: number): number {
  let parity = seven;
  parity ^= parity >> 4;
  parity ^= parity >> 2;
  parity ^= parity >> 1;
  return seven | ((parity & 1) << 7);
}

/** Puts `count` numbers of a grid from `at` on, with the lowest of `signs`, at out[to]. */
function putPoint(
  out: Float32Array,
  to: number,
  grid: Int8Array,
  at: number,
  count: number,
  scale: number,
  signs: number,
): void {
  for (let i = 0; i < count; i++) out[to + i] = scale * (grid[at + i] as number) * ((signs >> i) & 1 ? -1 : 1);
}

function word32(bytes: Uint8Array, at: number): number {
  return (word16(bytes, at) | (word16(bytes, at + 2) << 16)) >>> 0;
}

/** For each 32: four bytes that choose points of 8, then a word with four times seven bits of signs and the scale on top. */
const iq2xxs: DecodeBlock = (bytes, at, out) => {
  const d = half(bytes, at);
  for (let block = 0; block < 8; block++) {
    const from = at + 2 + block * 8;
    const word = word32(bytes, from + 4);
    const scale = d * (0.5 + (word >>> 28)) * 0.25;
    for (let i = 0; i < 4; i++) {
      const signs = evenSigns((word >>> (7 * i)) & 127);
      putPoint(out, block * 32 + i * 8, iq2xxsGrid, (bytes[from + i] as number) * 8, 8, scale, signs);
    }
  }
};

/** 32 words of nine bits for a point and seven of signs, then a nibble of scale for each 16. */
const iq2xs: DecodeBlock = (bytes, at, out) => {
  const d = half(bytes, at);
  for (let i = 0; i < 32; i++) {
    const word = word16(bytes, at + 2 + i * 2);
    const four = ((bytes[at + 66 + (i >> 2)] as number) >> ((i & 2) * 2)) & 15;
    putPoint(out, i * 8, iq2xsGrid, (word & 511) * 8, 8, d * (0.5 + four) * 0.25, evenSigns(word >> 9));
  }
};

/** 32 bytes of a point's lowest bits, 32 of signs, 8 with two upper bits of four points, 8 with scales of two times 16. */
const iq2s: DecodeBlock = (bytes, at, out) => {
  const d = half(bytes, at);
  for (let i = 0; i < 32; i++) {
    const upper = ((bytes[at + 66 + (i >> 2)] as number) >> ((i & 3) * 2)) & 3;
    const four = ((bytes[at + 74 + (i >> 2)] as number) >> ((i & 2) * 2)) & 15;
    const point = (bytes[at + 2 + i] as number) | (upper << 8);
    putPoint(out, i * 8, iq2sGrid, point * 8, 8, d * (0.5 + four) * 0.25, bytes[at + 34 + i] as number);
  }
};

/** 64 bytes that choose points of 4, then a word for each 32 as with IQ2_XXS. */
const iq3xxs: DecodeBlock = (bytes, at, out) => {
  const d = half(bytes, at);
  for (let i = 0; i < 64; i++) {
    const word = word32(bytes, at + 66 + (i >> 3) * 4);
    const signs = evenSigns((word >>> (7 * ((i >> 1) & 3))) & 127) >> ((i & 1) * 4);
    const scale = d * (0.5 + (word >>> 28)) * 0.5;
    putPoint(out, i * 4, iq3xxsGrid, (bytes[at + 2 + i] as number) * 4, 4, scale, signs);
  }
};

/** 64 bytes of a point's lowest bits, 8 with the ninth bits, 32 of signs, 4 with scales of two times 32. */
const iq3s: DecodeBlock = (bytes, at, out) => {
  const d = half(bytes, at);
  for (let i = 0; i < 64; i++) {
    const ninth = ((bytes[at + 66 + (i >> 3)] as number) >> (i & 7)) & 1;
    const point = (bytes[at + 2 + i] as number) | (ninth << 8);
    const signs = (bytes[at + 74 + (i >> 1)] as number) >> ((i & 1) * 4);
    const four = ((bytes[at + 106 + (i >> 4)] as number) >> (((i >> 3) & 1) * 4)) & 15;
    putPoint(out, i * 4, iq3sGrid, point * 4, 4, d * (1 + 2 * four), signs);
  }
};

export const iq2AndIq3: Readonly<Record<string, DecodeBlock>> = {
  IQ2_XXS: iq2xxs,
  IQ2_XS: iq2xs,
  IQ2_S: iq2s,
  IQ3_XXS: iq3xxs,
  IQ3_S: iq3s,
};
