/**
 * A forward pass as data: written by a model's architecture and run by every device. An op is fused as far as a device
 * can run it while passing on only its output. A decoder layer is four ops, or six with norms after its parts.
 */

/** RMS norm of the rows before a fused op: the weight's tensor name; eps is the graph's. */
export interface Norm {
  readonly weight: string;
}

/**
 * Activations of a step, f32 [rows, width padded to 32]. `hidden` is the residual stream, `branch` a part's output
 * before its norm and addition to the stream.
 */
export type BufferName = 'hidden' | 'attention' | 'mlp' | 'branch';

/** hidden = table[tokenIds] · scale. */
export interface EmbedOp {
  readonly op: 'embed';
  readonly table: string;
  readonly scale: number;
}

/** A product of its own: a matrix, and the addend of its results. */
export interface Projection {
  /** Packed [heads · headDim, hiddenSize], head after head. */
  readonly weight: string;
  readonly bias?: string;
}

/** An attention's projections of the hidden state; each may be stored in a way of its own. */
export const projectionNames = ['query', 'key', 'value'] as const;

/** attention = self-attention of norm(hidden)'s projections: these, head norms, rope, cache write, attention. */
export interface AttentionOp {
  readonly op: 'attention';
  readonly layer: number;
  readonly norm: Norm;
  readonly query: Projection;
  readonly key: Projection;
  readonly value: Projection;
  readonly queryNorm?: string;
  readonly keyNorm?: string;
  /** Which of the graph's ropes turns its heads. */
  readonly rope: number;
  /** Tokens that a row sees, itself included; 0 is all. */
  readonly window: number;
}

/** output (store | add | gate by silu or gelu) norm?(input) · weightsᵀ + bias. */
export interface LinearOp {
  readonly op: 'linear';
  readonly input: BufferName;
  readonly norm?: Norm;
  /** Panels of columns of one matrix, from the first column to the last; all but the last are multiples of 32. With a gate it is one. */
  readonly weights: readonly string[];
  readonly bias?: string;
  readonly output: BufferName;
  readonly epilogue: 'store' | 'add' | 'siluGate' | 'geluGate';
}

/** hidden += norm(branch). */
export interface AddNormOp {
  readonly op: 'addNorm';
  readonly norm: Norm;
}

/** logits = norm(hidden[logitRows]) · weightᵀ. */
export interface LogitsOp {
  readonly op: 'logits';
  readonly norm: Norm;
  readonly weight: string;
}

export type Op = EmbedOp | AttentionOp | LinearOp | AddNormOp | LogitsOp;

/** The matrices that `op` multiplies with, each as its panels. */
export function matricesOf(op: Op): readonly (readonly string[])[] {
  switch (op.op) {
    case 'embed':
    case 'addNorm':
      return [];
    case 'linear':
      return [op.weights];
    case 'attention':
      return projectionNames.map((name) => [op[name].weight]);
    case 'logits':
      return [[op.weight]];
  }
}

/** The panels of all of them. */
export function factorsOf(op: Op): readonly string[] {
  return matricesOf(op).flat();
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
  /** Radians per position of each rope that its attentions use, [rotaryDim / 2] each. */
  readonly ropes: readonly Float64Array[];
  readonly ops: readonly Op[];
}
