/** RMS norm of the rows before a fused op: the weight's tensor name; eps is the graph's. */
export interface Norm {
  readonly weight: string;
}

/** A norm of queries or keys: over each head, with the same weight f32 [headDim], or over all heads of a row together. */
export interface HeadNorm extends Norm {
  readonly spans: 'head' | 'row';
}

/** A product of its own: a matrix, and the addend of its results. */
export interface Projection {
  readonly weight: string;
  readonly bias?: string;
}

/** Activations of a step, f32 [rows, width padded to 32]. */
export const bufferNames = [
  /** The residual stream. */
  'hidden',
  'attention',
  'mlp',
  /** A part's output before its norm and addition to the stream. */
  'branch',
  /** A number for each expert. */
  'scores',
  /** The inner width of an expert that all rows take. */
  'shared',
  /** The input and the output of a gated convolution. */
  'mixer',
  'mixed',
  /** Queries, keys and values of a recurrence: before their convolution, and after it. */
  'heads',
  'convolved',
  /** Two numbers for each head of a recurrence. */
  'rates',
  'recurrent',
  /** Factors of another buffer, before their activation. */
  'gate',
] as const;

/** The name of a buffer of activations. */
export type BufferName = (typeof bufferNames)[number];

/** What an op needs of a device's memory. Each device binds the op to its memory and kernels in a file of its own. */
export interface OpNeeds {
  /** The tensors that it reads. */
  readonly tensors: readonly string[];
  /** The matrices that it multiplies with. */
  readonly matrices: readonly string[];
  /** The buffers of activations that it reads. An op that reads more than `hidden` stays beside the op that wrote it. */
  readonly reads: readonly BufferName[];
  readonly writes: readonly BufferName[];
  /** What it keeps of a sequence from step to step. */
  readonly keeps?: readonly SequenceState[];
}

/**
 * What an op keeps of a sequence. `paged`: keys and values of each token, [numKvHeads, headDim], in blocks that sequences
 * share. `shared`: it reads those of layer `of`, and keeps none. `fixed`: f32 [floats] in a slot of its sequence, as they are
 * after the tokens so far, and zeros before the first.
 */
export type SequenceState =
  | PagedState
  | { readonly kind: 'shared'; readonly layer: number; readonly of: number; readonly window: number }
  | { readonly kind: 'fixed'; readonly name: string; readonly floats: number };

/** Keys and values of each token. */
export interface PagedState {
  readonly kind: 'paged';
  readonly layer: number;
  readonly numKvHeads: number;
  readonly headDim: number;
  /** Tokens that are still read, the newest included; 0 is all. */
  readonly window: number;
}
