/** A tensor as a checkpoint declares it. */
export interface TensorInfo {
  readonly dtype: string;
  readonly shape: readonly number[];
}

/** The tensors of a checkpoint, read piece by piece. Owns open files. */
export interface TensorSource extends AsyncDisposable {
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  /**
   * Fills out[0 … count) with elements [startElement, startElement + count) of a tensor in row-major order.
   * Reads only those bytes and allocates nothing of their size; the rest of `out` is left alone.
   * Errors: `tensor_not_found`, `unsupported_dtype`, `weight_not_finite`, `checkpoint_invalid` (the file shrank).
   */
  readFloats(name: string, startElement: number, count: number, out: Float32Array): Promise<void>;
  /** Whether `readFloats` could read a tensor of that name, by the header alone. Errors: `tensor_not_found`, `unsupported_dtype`. */
  checkReadable(name: string): void;
  close(): Promise<void>;
}

/** A way to keep tensors in files. */
export interface TensorFormat {
  readonly name: string;
  /** Opens the checkpoint at `path`, a directory or a file; null when there is none of this format. */
  open(path: string): Promise<TensorSource | null>;
}
