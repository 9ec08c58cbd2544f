import { half, type DecodeBlock } from './decode-block.js';

// Super-blocks of 256. Q2_K and Q3_K have a scale for each 16. Two bits of a weight lie in a byte with those 32, 64 and
// 96 positions on. Source: ggml-common.h and ggml-quants.c, dequantize_row_q2_K, …_q3_K, …_q8_K.

/** 16 bytes of scale (low nibble) and minimum, 64 of two bits, f16 d, f16 dmin. */
const q2k: DecodeBlock = (bytes, at, out) => {
  const d = half(bytes, at + 80);
  const dmin = half(bytes, at + 82);
  for (let group = 0; group < 16; group++) {
    const both = bytes[at + group] as number;
    const scale = d * (both & 15);
    const minimum = dmin * (both >> 4);
    const from = at + 16 + (group >> 3) * 32 + (group & 1) * 16;
    const shift = ((group >> 1) & 3) * 2;
    for (let i = 0; i < 16; i++) out[group * 16 + i] = scale * (((bytes[from + i] as number) >> shift) & 3) - minimum;
  }
};

/** 32 bytes of third bits, 64 of two bits, 12 of six-bit scales, f16 d. A third bit that is not set takes 4 away. */
const q3k: DecodeBlock = (bytes, at, out) => {
  const d = half(bytes, at + 108);
  for (let group = 0; group < 16; group++) {
    const low = ((bytes[at + 96 + (group & 7)] as number) >> (group < 8 ? 0 : 4)) & 15;
    const high = ((bytes[at + 104 + (group & 3)] as number) >> ((group >> 2) * 2)) & 3;
    const scale = d * ((low | (high << 4)) - 32);
    const column = (group & 1) * 16;
    const from = at + 32 + (group >> 3) * 32 + column;
    const shift = ((group >> 1) & 3) * 2;
    for (let i = 0; i < 16; i++) {
      const isSet = ((bytes[at + column + i] as number) >> (group >> 1)) & 1;
      out[group * 16 + i] = scale * ((((bytes[from + i] as number) >> shift) & 3) - (isSet === 1 ? 0 : 4));
    }
  }
};

/** f32 d, 256 of eight bits; then the sums of each 16, which only products of integers need. */
const q8k: DecodeBlock = (bytes, at, out) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  const d = view.getFloat32(0, true);
  for (let i = 0; i < 256; i++) out[i] = d * view.getInt8(4 + i);
};

export const kQuants: Readonly<Record<string, DecodeBlock>> = { Q2_K: q2k, Q3_K: q3k, Q8_K: q8k };
