import { f16ToF32 } from '../../floats.js';

/** Puts the numbers of one block at `at` of `bytes` into out[0 … its columns), each rounded to float32 once. */
export type DecodeBlock = (bytes: Uint8Array, at: number, out: Float32Array) => void;

/** The 16 bits at `at`. */
export function word16(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
}

/** The f16 at `at`. */
export function half(bytes: Uint8Array, at: number): number {
  return f16ToF32(word16(bytes, at));
}
