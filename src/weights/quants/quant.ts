import { AppError } from '../../base/index.js';

/** How the numbers of a matrix are stored. */
export type QuantName = 'f32' | 'bf16' | 'f16' | 'q8' | 'q4' | 'q4m';

/**
 * One way to store a matrix [rows, columns]: rows padded with zeros to a multiple of 8, columns to a multiple of 32,
 * groups of 8 rows one after the other. All numbers are little-endian; buffers belong to the caller.
 */
export interface Quant {
  readonly name: QuantName;
  /** Integers with scales, which kernels multiply by quantised activations; the others multiply f32 ones. */
  readonly isInteger: boolean;
  /** Bytes of one group of 8 rows; `columns` is padded: a multiple of 32. */
  groupBytes(columns: number): number;
  /**
   * rows f32 [8, columns], finite → one packed group in `out`, which starts at a multiple of 4 bytes.
   * Errors: `weight_overflow`.
   */
  packGroup(rows: Float32Array, columns: number, out: Uint8Array): void;
  /** One packed group → f32 [8, columns]: the reference that every kernel is held against. */
  unpackGroup(group: Uint8Array, columns: number, out: Float32Array): void;
  /** How far any value of `block` (32 columns of a row) may be from itself after packing and unpacking. */
  maxError(block: Float32Array): number;
}

/** The largest magnitude in `block`. */
export function largestMagnitude(block: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < block.length; i++) largest = Math.max(largest, Math.abs(block[i] as number));
  return largest;
}

/** The error for a value that `quant` cannot hold. */
export function overflow(quant: QuantName, value: number, limit: number): AppError {
  return new AppError(
    'weight_overflow',
    `a weight of magnitude ${value} does not fit ${quant}, whose limit is ${limit}; choose bf16 or f32`,
    { quant, value, limit },
  );
}
