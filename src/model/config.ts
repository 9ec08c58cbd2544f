/** The configuration of a model for the forward pass, independent of its config.json's names. */

import type { DeltaRuleOp, HeadNorm } from '../compute/index.js';
import type { Rope } from './rope.js';

/** A model's experts. */
export interface ExpertsConfig {
  /** Experts of a layer. */
  readonly count: number;
  /** Experts that a token goes through. */
  readonly chosen: number;
  /** Width of one's gate. */
  readonly width: number;
  /** Whether the weights of the chosen experts add up to 1. */
  readonly isRenormalised: boolean;
  /** Whether a layer has experts. [numLayers] */
  readonly layers: readonly boolean[];
  /** Width of one that all tokens go through besides; 0: there is none. */
  readonly sharedWidth: number;
}

/** A model's short convolutions. */
export interface ConvolutionConfig {
  /** Taps of the filter, the token itself included. */
  readonly taps: number;
  /** Whether a layer has one. [numLayers] */
  readonly layers: readonly boolean[];
}

/** A model's recurrences by the gated delta rule. */
export interface DeltaRuleConfig extends Pick<
  DeltaRuleOp,
  'keyHeads' | 'valueHeads' | 'keyDim' | 'valueDim' | 'sharing'
> {
  /** Of the convolution of queries, keys and values. */
  readonly taps: number;
  /** Which projections a checkpoint has in one matrix, key head after key head. */
  readonly fused: 'none' | 'rates' | 'all';
  /** Whether a layer has one. [numLayers] */
  readonly layers: readonly boolean[];
}

/** A decoder's dimensions and switches. Sizes are counts, never bytes. */
export interface ModelConfig {
  readonly modelType: string;
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headDim: number;
  readonly rmsNormEps: number;
  /** Experts in place of the gated MLP of some layers. */
  readonly experts?: ExpertsConfig;
  /** Short convolutions in place of the attention of some layers. */
  readonly convolution?: ConvolutionConfig;
  /** Recurrences in place of the attention of some layers. */
  readonly deltaRule?: DeltaRuleConfig;
  /** Tokens the model was made for: prompt and completion together. */
  readonly contextLength: number;
  readonly tiedEmbeddings: boolean;
  readonly qkvBias: boolean;
  readonly attentionOutputBias: boolean;
  readonly mlpBias: boolean;
  /** Whether attention's outputs are multiplied by gates, whose rows follow those of each head's query. */
  readonly attentionGate: boolean;
  /** RMS norms of queries and keys before rope: over each head, or over all heads of a row together. */
  readonly qkNorm: 'none' | HeadNorm['spans'];
  /** `gelu` is its approximation by tanh. */
  readonly activation: 'silu' | 'gelu';
  /** Factor of the embedding. */
  readonly embeddingScale: number;
  /** Factor of query · key before softmax. */
  readonly attentionScale: number;
  /** The bound of an attention's scores s, which become bound · tanh(s / bound); 0 is none. */
  readonly attentionSoftCap: number;
  /** Whether each head has a score that joins its softmax without a value. */
  readonly attentionSinks: boolean;
  /** Factor of what each part of a layer adds to the residual stream. */
  readonly residualScale: number;
  /** Factor of the logits. */
  readonly logitsScale: number;
  /** The bound of logits, as `attentionSoftCap`; 0 is none. */
  readonly logitsSoftCap: number;
  /** Addend of the weight of every norm, to the checkpoint's value. */
  readonly normOffset: number;
  /** One for all layers; or two, and layers with a window turn by the second. */
  readonly ropes: readonly Rope[];
  /** Whether a layer's heads turn: others know no positions. [numLayers] */
  readonly turns: readonly boolean[];
  /** Sliding window of each layer in tokens, itself included; 0 is none. [numLayers] */
  readonly windows: readonly number[];
}
