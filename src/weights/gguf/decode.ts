import { f16ToF32 } from '../floats.js';

/** Puts the numbers of one block at `at` of `bytes` into out[0 … blockSize). */
export type DecodeBlock = (bytes: Uint8Array, at: number, out: Float32Array) => void;

/** The f16 at `at`. */
function half(bytes: Uint8Array, at: number): number {
  return f16ToF32((bytes[at] as number) | ((bytes[at + 1] as number) << 8));
}

/** Low nibbles are the first 16 numbers, high ones the last. */
function nibbles(bytes: Uint8Array, at: number, out: Float32Array, toValue: (nibble: number) => number): void {
  for (let i = 0; i < 16; i++) {
    const byte = bytes[at + i] as number;
    out[i] = toValue(byte & 15);
    out[16 + i] = toValue(byte >> 4);
  }
}

/**
 * Blocks as float32, each value rounded once. Source: ggml-quants.c, dequantize_row_q4_0, …_q4_1, …_q8_0: an f16 scale
 * (and an f16 minimum), then the integers.
 */
export const blockDecoders: ReadonlyMap<string, DecodeBlock> = new Map<string, DecodeBlock>([
  [
    'Q4_0',
    (bytes, at, out) => {
      const scale = half(bytes, at);
      nibbles(bytes, at + 2, out, (nibble) => (nibble - 8) * scale);
    },
  ],
  [
    'Q4_1',
    (bytes, at, out) => {
      const scale = half(bytes, at);
      const minimum = half(bytes, at + 2);
      nibbles(bytes, at + 4, out, (nibble) => nibble * scale + minimum);
    },
  ],
  [
    'Q8_0',
    (bytes, at, out) => {
      const scale = half(bytes, at);
      for (let i = 0; i < 32; i++) out[i] = (((bytes[at + 2 + i] as number) << 24) >> 24) * scale;
    },
  ],
]);
