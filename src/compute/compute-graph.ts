/**
 * A forward pass as data: what a model's architecture writes and every device runs. An op is fused as far as a device can
 * run it without handing anything on but its output; a decoder layer is four ops.
 */

/** RMS norm of the rows before a fused op: the weight's tensor name; eps is the graph's. */
export interface Norm {
  readonly weight: string;
}

/** Activations of a step, f32 [rows, width padded to 32]. `hidden` is the residual stream. */
export type BufferName = 'hidden' | 'attention' | 'mlp';

/** hidden = table[tokenIds]. */
export interface EmbedOp {
  readonly op: 'embed';
  readonly table: string;
}

/** attention = self-attention(norm(hidden) · qkvᵀ + bias): projection, head norms, rope, cache write, attention. */
export interface AttentionOp {
  readonly op: 'attention';
  readonly layer: number;
  readonly norm: Norm;
  /** Packed [numKvHeads · (groupSize + 2) · headDim, hiddenSize]: per KV head its queries, key, value. */
  readonly weight: string;
  readonly bias?: string;
  readonly queryNorm?: string;
  readonly keyNorm?: string;
  /** Tokens that a row sees, itself included; 0 is all. */
  readonly window: number;
}

/** output (store | add | gate) norm?(input) · weightsᵀ + bias. */
export interface LinearOp {
  readonly op: 'linear';
  readonly input: BufferName;
  readonly norm?: Norm;
  /** Panels of columns of one matrix, from the first column to the last; all but the last are multiples of 32. With `gate` it is one. */
  readonly weights: readonly string[];
  readonly bias?: string;
  readonly output: BufferName;
  readonly epilogue: 'store' | 'add' | 'gate';
}

/** logits = norm(hidden[logitRows]) · weightᵀ. */
export interface LogitsOp {
  readonly op: 'logits';
  readonly norm: Norm;
  readonly weight: string;
}

export type Op = EmbedOp | AttentionOp | LinearOp | LogitsOp;

/** The matrices that `op` multiplies with: the panels of one. */
export function factorsOf(op: Op): readonly string[] {
  switch (op.op) {
    case 'embed':
      return [];
    case 'linear':
      return op.weights;
    case 'attention':
    case 'logits':
      return [op.weight];
  }
}

/** The forward pass of one model. */
export interface ComputeGraph {
  readonly vocabSize: number;
  readonly hiddenSize: number;
  /** Width of `mlp`. */
  readonly intermediateSize: number;
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headDim: number;
  readonly numLayers: number;
  readonly rmsNormEps: number;
  /** Factor of query · key before softmax. */
  readonly attentionScale: number;
  /** Dimensions of a head that turn. */
  readonly rotaryDim: number;
  /** Radians per position, [rotaryDim / 2]. */
  readonly ropeFrequencies: Float64Array;
  readonly ops: readonly Op[];
}
