import { AppError } from '../../base/index.js';

/** How a block of integers lies: of 8 rows and `columns` columns, each row with an f16 scale of its own. */
export interface QuantBlock {
  /** Columns under one scale. */
  readonly columns: 32;
  /** Bytes of a block; integers come first. */
  readonly bytes: number;
  /** Offset in the block of the scales of rows 0…7, f16. */
  readonly scales: number;
  /** Offset of their minima, f16. Absent: no minima. */
  readonly minima?: number;
  /** Offset of stored integers: value = (stored − zeroPoint) · scale + minimum. */
  readonly zeroPoint: number;
  /** Standard deviation of uniformly random integers, for weights that are made up. */
  readonly deviation: number;
}

/** One row's block as a GGUF file has it. */
export interface GgmlBlock {
  readonly bytes: number;
  /**
   * Puts the blocks of 8 rows of `columns`, one row after another in `rows`, where `packGroup` would: the same integers under
   * the same scales. Errors: `weight_not_finite`.
   */
  repackGroup(rows: Uint8Array, columns: number, out: Uint8Array): void;
}

/**
 * One way to store a matrix [rows, columns]: rows padded with zeros to a multiple of 8, columns to a multiple of 32,
 * groups of 8 rows one after the other. All numbers are little-endian; buffers belong to the caller.
 */
export interface Quant {
  readonly name: string;
  /** Ends the names of its kernels: `matmulQ4`, `embedQ4`. */
  readonly kernel: string;
  /** Of one weight, without scales. */
  readonly bits: number;
  /** GGML's type with the same numbers, which becomes this quant without loss. */
  readonly ggml: string;
  /** The activations of its kernels: f32 rows, or rows quantised to int8. */
  readonly activations: 'f32' | 'int8';
  /** Columns whose bytes belong together: groups hold whole blocks, and panels are cut between them. */
  readonly blockColumns: 32 | 256;
  /** How a block lies where it is integers under one scale. Absent: floats, or blocks of another kind. */
  readonly block?: QuantBlock;
  /** How a file has blocks that are not a `block`. */
  readonly ggmlBlock?: GgmlBlock;
  /** Bytes of one group of 8 rows; `columns` is padded: a multiple of 32. */
  groupBytes(columns: number): number;
  /**
   * rows f32 [8, columns], finite → one packed group in `out`, which starts at a multiple of 4 bytes.
   * Errors: `weight_overflow`.
   */
  packGroup(rows: Float32Array, columns: number, out: Uint8Array): void;
  /** One packed group → f32 [8, columns]: the reference that every kernel is held against. */
  unpackGroup(group: Uint8Array, columns: number, out: Float32Array): void;
  /** How far any value of `block` (`blockColumns` columns of a row, or the last of them) may be from itself after packing and unpacking. */
  maxError(block: Float32Array): number;
}

/** The largest magnitude in `block`. */
export function largestMagnitude(block: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < block.length; i++) largest = Math.max(largest, Math.abs(block[i] as number));
  return largest;
}

/** The error for a value that `quant` cannot hold. */
export function overflow(quant: string, value: number, limit: number): AppError {
  return new AppError(
    'weight_overflow',
    `a weight of magnitude ${value} does not fit ${quant}, whose limit is ${limit}; choose bf16 or f32`,
    { quant, value, limit },
  );
}
