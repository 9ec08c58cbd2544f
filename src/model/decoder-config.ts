// The fields of config.json that llama-like decoders share, as published and as transformers 5 writes them.

import { configInvalid, unsupportedConfig, type ConfigReader } from './config-json.js';
import type { ConvolutionConfig, DeltaRuleConfig, ExpertsConfig, ModelConfig } from './config.js';
import { parseRopes, type LocalRope } from './rope-config.js';

// Bounds of plausible models: far above any published one, low enough that sizes stay exact and allocations sane.
const MAX_LAYERS = 1024;
const MAX_WIDTH = 1 << 18;
const MAX_HEADS = 1024;
const MAX_VOCAB = 1 << 20;
const MAX_CONTEXT = 1 << 24;
const MAX_HEAD_DIM = 512;

/** Behaviour of one family's parts beyond its config.json. */
export interface DecoderTraits {
  /** Default: none. */
  readonly qkNorm?: ModelConfig['qkNorm'];
  readonly qkvBias: boolean;
  readonly attentionOutputBias: boolean;
  readonly mlpBias: boolean;
  /** tie_word_embeddings where the field is absent. */
  readonly tiedByDefault: boolean;
  readonly windows: readonly number[];
  /** Default: all layers' heads turn. */
  readonly turns?: readonly boolean[];
  readonly experts?: ExpertsConfig;
  readonly convolution?: ConvolutionConfig;
  readonly deltaRule?: DeltaRuleConfig;
  /** Default: false. */
  readonly attentionGate?: boolean;
  /** Default: silu. */
  readonly activation?: ModelConfig['activation'];
  /** Factor of the embedding, from the width of the hidden state. Default: 1. */
  readonly embeddingScale?: (hiddenSize: number) => number;
  /** Factor of query · key. Default: headDim^−½. */
  readonly attentionScale?: number;
  /** Bound of the scores. Default: 0, none. */
  readonly attentionSoftCap?: number;
  /** Default: false. */
  readonly attentionSinks?: boolean;
  /** Factor of what a part adds to the residual stream. Default: 1. */
  readonly residualScale?: number;
  /** Factor of the logits. Default: 1. */
  readonly logitsScale?: number;
  /** Bound of the logits. Default: 0, none. */
  readonly logitsSoftCap?: number;
  /** Default: 0. */
  readonly normOffset?: number;
  /** The rope of layers with a window. Default: that of the others. */
  readonly localRope?: LocalRope | undefined;
  /** Fields that change the mathematics and that the family computes, where others refuse them. */
  readonly reads?: readonly string[];
}

/** How config.json names activations. */
const ACTIVATION_NAMES: Readonly<Record<ModelConfig['activation'], readonly string[]>> = {
  silu: ['silu', 'swish'],
  gelu: ['gelu_pytorch_tanh', 'gelu_new'],
};

/**
 * Fields that no llama-like family here computes, with the values at which they change nothing.
 * A config that sets one otherwise is refused by name rather than run wrongly.
 */
const FOREIGN_MATHEMATICS: Readonly<Record<string, readonly unknown[]>> = {
  partial_rotary_factor: [1],
  attn_logit_softcapping: [0],
  final_logit_softcapping: [0],
  query_pre_attn_scalar: [],
  attention_multiplier: [],
  embedding_multiplier: [1],
  residual_multiplier: [1],
  logits_scaling: [1],
  scale_emb: [1],
  scale_depth: [],
  clip_qkv: [],
  qk_layernorm: [false],
  use_qk_norm: [false],
  no_rope_layers: [],
  attention_chunk_size: [],
  num_experts: [0, 1],
  num_local_experts: [0, 1],
  n_routed_experts: [0],
  kv_lora_rank: [],
  q_lora_rank: [],
  alibi: [false],
  parallel_attn: [false],
  use_parallel_residual: [false],
  is_encoder_decoder: [false],
  add_cross_attention: [false],
  quantization_config: [],
  rope_interleaved: [false],
  is_causal: [true],
  use_bidirectional_attention: [false],
  mrope_section: [],
  vision_config: [],
  audio_config: [],
};

/** Reads every field that the family's `traits` do not decide. Errors: `config_invalid`, `unsupported_config`. */
export function parseDecoderConfig(config: ConfigReader, modelType: string, traits: DecoderTraits): ModelConfig {
  refuseForeignMathematics(config, traits.reads ?? []);
  const activation = traits.activation ?? 'silu';
  checkActivation(config, activation);

  const hiddenSize = config.integer('hidden_size', { min: 1, max: MAX_WIDTH });
  const numHeads = config.integer('num_attention_heads', { min: 1, max: MAX_HEADS });
  const numKvHeads = config.integer('num_key_value_heads', { min: 1, max: numHeads, fallback: numHeads });
  if (numHeads % numKvHeads !== 0) {
    throw configInvalid('num_key_value_heads', numKvHeads, `a divisor of num_attention_heads, which is ${numHeads}`);
  }
  const headDim = config.integer('head_dim', { min: 1, max: MAX_HEAD_DIM, fallback: hiddenSize / numHeads });
  if (headDim % 8 !== 0) throw unsupportedConfig('head_dim', headDim, `multiples of 8 up to ${MAX_HEAD_DIM}`);

  return {
    modelType,
    vocabSize: config.integer('vocab_size', { min: 1, max: MAX_VOCAB }),
    hiddenSize,
    intermediateSize: config.integer('intermediate_size', { min: 1, max: MAX_WIDTH }),
    numLayers: numLayersOf(config),
    numHeads,
    numKvHeads,
    headDim,
    rmsNormEps: config.positive('rms_norm_eps', 1e-6),
    contextLength: contextLengthOf(config),
    tiedEmbeddings: config.boolean('tie_word_embeddings', traits.tiedByDefault),
    qkvBias: traits.qkvBias,
    attentionOutputBias: traits.attentionOutputBias,
    mlpBias: traits.mlpBias,
    attentionGate: traits.attentionGate ?? false,
    qkNorm: traits.qkNorm ?? 'none',
    activation,
    embeddingScale: traits.embeddingScale?.(hiddenSize) ?? 1,
    attentionScale: traits.attentionScale ?? headDim ** -0.5,
    attentionSoftCap: traits.attentionSoftCap ?? 0,
    attentionSinks: traits.attentionSinks ?? false,
    residualScale: traits.residualScale ?? 1,
    logitsScale: traits.logitsScale ?? 1,
    logitsSoftCap: traits.logitsSoftCap ?? 0,
    normOffset: traits.normOffset ?? 0,
    ropes: parseRopes(config, {
      headDim,
      contextLength: contextLengthOf(config),
      local: traits.localRope,
      isPartial: traits.reads?.includes('partial_rotary_factor') === true,
    }),
    windows: traits.windows,
    turns: traits.turns ?? traits.windows.map(() => true),
    ...(traits.experts && { experts: traits.experts }),
    ...(traits.convolution && { convolution: traits.convolution }),
    ...(traits.deltaRule && { deltaRule: traits.deltaRule }),
  };
}

/** num_hidden_layers. Errors: `config_invalid`. */
export function numLayersOf(config: ConfigReader): number {
  return config.integer('num_hidden_layers', { min: 1, max: MAX_LAYERS });
}

function contextLengthOf(config: ConfigReader): number {
  return config.integer('max_position_embeddings', { min: 1, max: MAX_CONTEXT, fallback: 2048 });
}

function checkActivation(config: ConfigReader, activation: ModelConfig['activation']): void {
  const names = ACTIVATION_NAMES[activation];
  for (const field of ['hidden_act', 'hidden_activation']) {
    const name = config.text(field);
    if (name !== undefined && !names.includes(name)) throw unsupportedConfig(field, name, names.join(' or '));
  }
}

function refuseForeignMathematics(config: ConfigReader, reads: readonly string[]): void {
  for (const [field, neutral] of Object.entries(FOREIGN_MATHEMATICS)) {
    if (reads.includes(field) || !config.has(field) || neutral.includes(config.raw(field))) continue;
    throw unsupportedConfig(field, config.raw(field), neutral.length === 0 ? 'none' : neutral.map(String).join(' or '));
  }
}
