import type { Op } from '../../compute/index.js';
import type { ModelConfig } from '../config.js';
import type { WeightSpec } from '../weight-table.js';

/** Names that llama.cpp gives tensors, and those of a Hugging Face checkpoint. Source: gguf-py, gguf/tensor_mapping.py. */
export type GgufTensorNames = Readonly<Record<string, string>>;

/** Where a part of a layer has norms. */
export interface PartNorms {
  /** The checkpoint's norm of the part's input; null: there is none. Each part has a default. */
  readonly norm?: string | null;
  /** A norm of the part's output, before that is added to the residual stream. */
  readonly normAfter?: NormAfter;
}

/** A norm after a part: its tensor in both kinds of checkpoints. */
export interface NormAfter {
  readonly tensor: string;
  readonly gguf: string;
}

/** A part of a decoder layer, which adds to the residual stream: its computation and its weights. */
export interface DecoderPart {
  /** Its fused ops in layer `layer`, in their order. */
  ops(config: ModelConfig, layer: number): Op[];
  /** Its norms and matrices, in the order in which the forward pass reads them. */
  weights(config: ModelConfig, layer: number): WeightSpec[];
  /** Its biases and the norms of its heads, which are stored after the matrices of all parts of the layer. */
  smallWeights(config: ModelConfig, layer: number): WeightSpec[];
  /** Its tensors in GGUF files, after `blk.N.`, by those of a checkpoint, after `model.layers.N.`. */
  readonly ggufNames: GgufTensorNames;
}
