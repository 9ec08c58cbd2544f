import { half, type DecodeBlock } from './decode-block.js';

// −1, 0 or 1 times an f16 scale, 256 a block. Source: ggml-quants.c, dequantize_row_tq1_0, …_tq2_0.

/** Trit `place` of a byte with five: a fraction of 256, whose first digits to base 3 are the trits. */
function trit(byte: number, place: number): number {
  return ((((byte * 3 ** place) & 255) * 3) >> 8) - 1;
}

/** 48 bytes of five trits and 4 of four, f16 d: a byte's trits are 32 places apart, then 16, then 4. */
const tq1: DecodeBlock = (bytes, at, out) => {
  const d = half(bytes, at + 52);
  let to = 0;
  for (const [start, width, trits] of [
    [0, 32, 5],
    [32, 16, 5],
    [48, 4, 4],
  ] as const) {
    for (let place = 0; place < trits; place++) {
      for (let i = 0; i < width; i++) out[to++] = d * trit(bytes[at + start + i] as number, place);
    }
  }
};

/** 64 bytes of four times two bits, 32 places apart, f16 d. */
const tq2: DecodeBlock = (bytes, at, out) => {
  const d = half(bytes, at + 64);
  for (let i = 0; i < 256; i++) {
    const byte = bytes[at + (i >> 7) * 32 + (i & 31)] as number;
    out[i] = d * (((byte >> (((i >> 5) & 3) * 2)) & 3) - 1);
  }
};

export const ternary: Readonly<Record<string, DecodeBlock>> = { TQ1_0: tq1, TQ2_0: tq2 };
