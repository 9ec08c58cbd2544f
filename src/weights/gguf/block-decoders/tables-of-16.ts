import { half, type DecodeBlock } from './decode-block.js';

// Nibbles that index one of sixteen numbers. Source: ggml-common.h, kvalues_iq4nl and kvalues_mxfp4 (twice the numbers
// of E2M1); ggml-quants.c, dequantize_row_iq4_nl, …_iq4_xs, …_mxfp4, …_nvfp4.

const NONLINEAR = Int8Array.of(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);
const E2M1 = Float32Array.of(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);

/** `count` bytes at `at`: the low nibbles are the first numbers from out[to] on, the high ones the last. */
function decodeNibbles(
  bytes: Uint8Array,
  at: number,
  count: number,
  table: ArrayLike<number>,
  scale: number,
  out: Float32Array,
  to: number,
): void {
  for (let i = 0; i < count; i++) {
    const byte = bytes[at + i] as number;
    out[to + i] = scale * (table[byte & 15] as number);
    out[to + count + i] = scale * (table[byte >> 4] as number);
  }
}

/** 32 numbers: f16 d, 16 bytes of nibbles. */
const iq4nl: DecodeBlock = (bytes, at, out) => decodeNibbles(bytes, at + 2, 16, NONLINEAR, half(bytes, at), out, 0);

/** 256 numbers: f16 d, 16 bits and 4 bytes with eight scales of six bits that count from 32, 128 bytes of nibbles. */
const iq4xs: DecodeBlock = (bytes, at, out) => {
  const d = half(bytes, at);
  const high = (bytes[at + 2] as number) | ((bytes[at + 3] as number) << 8);
  for (let block = 0; block < 8; block++) {
    const low = ((bytes[at + 4 + (block >> 1)] as number) >> ((block & 1) * 4)) & 15;
    const scale = d * ((low | (((high >> (2 * block)) & 3) << 4)) - 32);
    decodeNibbles(bytes, at + 8 + block * 16, 16, NONLINEAR, scale, out, block * 32);
  }
};

/** 32 numbers: a power of two, 2^(e − 128) because the table is doubled, and 16 bytes of nibbles. */
const mxfp4: DecodeBlock = (bytes, at, out) =>
  decodeNibbles(bytes, at + 1, 16, E2M1, 2 ** ((bytes[at] as number) - 128), out, 0);

/** 64 numbers: four scales in unsigned E4M3, of which 0x7f is 0, and four times 8 bytes of nibbles. */
const nvfp4: DecodeBlock = (bytes, at, out) => {
  for (let block = 0; block < 4; block++) {
    const bits = bytes[at + block] as number;
    const exponent = (bits >> 3) & 15;
    const mantissa = bits & 7;
    const value = exponent === 0 ? mantissa * 2 ** -9 : (1 + mantissa / 8) * 2 ** (exponent - 7);
    decodeNibbles(bytes, at + 4 + block * 8, 8, E2M1, bits === 0x7f ? 0 : value / 2, out, block * 16);
  }
};

export const tablesOf16: Readonly<Record<string, DecodeBlock>> = {
  IQ4_NL: iq4nl,
  IQ4_XS: iq4xs,
  MXFP4: mxfp4,
  NVFP4: nvfp4,
};
