/** RMS norm of the rows before a fused op: the weight's tensor name; eps is the graph's. */
export interface Norm {
  readonly weight: string;
}

/** A norm of queries or keys: over each head, with the same weight f32 [headDim], or over all heads of a row together. */
export interface HeadNorm extends Norm {
  readonly spans: 'head' | 'row';
}

/**
 * Activations of a step, f32 [rows, width padded to 32]. `hidden` is the residual stream, `branch` a part's output
 * before its norm and addition to the stream, `scores` has a number for each expert.
 */
export type BufferName = 'hidden' | 'attention' | 'mlp' | 'branch' | 'scores';

/** What an op needs of a device's memory. Each device binds the op to its memory and kernels in a file of its own. */
export interface OpNeeds {
  /** The tensors that it reads. */
  readonly tensors: readonly string[];
  /** The matrices that it multiplies with, each as its panels of columns. */
  readonly matrices: readonly (readonly string[])[];
  /** The buffers of activations that it reads. An op that reads more than `hidden` stays beside the op that wrote it. */
  readonly reads: readonly BufferName[];
  readonly writes: readonly BufferName[];
  /** The layers with a KV cache that it uses. */
  readonly cachedLayers: readonly number[];
}
