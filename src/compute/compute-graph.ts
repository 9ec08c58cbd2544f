/**
 * A forward pass as data: written by a model's architecture and run by every device. An op is fused as far as a device
 * can run it while passing on only its output. A decoder layer is four ops, or six with norms after its parts.
 */

import type { Op } from './ops/index.js';

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
