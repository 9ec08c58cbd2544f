import { AppError } from '../../base/index.js';
import { f16ToF32, f32ToF16 } from '../floats.js';
import { overflow } from '../quants/quant.js';

// Scales as f16 in packed bytes.

/** The f16 at `at`. */
export function halfAt(bytes: Uint8Array, at: number): number {
  return f16ToF32((bytes[at] as number) | ((bytes[at + 1] as number) << 8));
}

/**
 * Writes `value` as f16, rounded to nearest even; returns the rounded value. Errors: `weight_overflow` for too large a
 * value.
 */
export function putHalf(bytes: Uint8Array, at: number, value: number, quant: string): number {
  const bits = f32ToF16(value);
  if ((bits & 0x7c00) === 0x7c00) throw overflow(quant, Math.abs(value), 65_504);
  bytes[at] = bits & 255;
  bytes[at + 1] = bits >> 8;
  return f16ToF32(bits);
}

/** Copies the f16 of a file. Errors: `weight_not_finite`. */
export function copyHalf(from: Uint8Array, at: number, out: Uint8Array, to: number): void {
  const high = from[at + 1] as number;
  if ((high & 0x7c) === 0x7c) {
    throw new AppError('weight_not_finite', 'a block has a scale or minimum that is NaN or infinite', {});
  }
  out[to] = from[at] as number;
  out[to + 1] = high;
}
