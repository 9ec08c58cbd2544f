/**
 * A forward pass as data: written by a model's architecture and run by every device. An op is fused as far as a device
 * can run it while passing on only its output. A decoder layer is four ops, or six with norms after its parts.
 */

import { attentionHeads, type BufferName, type Op } from './ops/index.js';

/** A rotary embedding: the first 2 · pairs dimensions of a head turn, as two halves. */
export interface GraphRope {
  /** Radians per position of each pair, f64 [pairs]. */
  readonly frequencies: Float64Array;
  /** Factor of each cosine and sine. */
  readonly magnitude: number;
}

/** The forward pass of one model. */
export interface ComputeGraph {
  readonly vocabSize: number;
  readonly hiddenSize: number;
  /** Width of `mlp`. */
  readonly intermediateSize: number;
  /** Experts of a layer, and the width of one's gate; absent where no layer has any. */
  readonly experts?: { readonly count: number; readonly width: number };
  readonly numLayers: number;
  readonly rmsNormEps: number;
  /** The ropes that its attentions name. */
  readonly ropes: readonly GraphRope[];
  /** Widths of the buffers that its sizes do not give. */
  readonly widths: Readonly<Partial<Record<BufferName, number>>>;
  readonly ops: readonly Op[];
}

/** Width of a buffer of activations, in values; 0 for one that the graph does not use. */
export function widthOf(graph: ComputeGraph, buffer: BufferName): number {
  const { hiddenSize, intermediateSize, experts, ops, widths } = graph;
  const sizes: Readonly<Partial<Record<BufferName, number>>> = {
    hidden: hiddenSize,
    attention: Math.max(0, ...attentionHeads(ops).map(({ numHeads, headDim }) => numHeads * headDim)),
    mlp: intermediateSize,
    branch: hiddenSize,
    scores: experts?.count ?? 0,
  };
  return sizes[buffer] ?? widths[buffer] ?? 0;
}
