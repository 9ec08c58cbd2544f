// The fields of config.json that llama-like decoders share, as published and as transformers 5 writes them.

import { invalid, unsupported, type ConfigReader } from './config-json.js';
import type { ModelConfig } from './config.js';
import type { Rope, RopeScaling } from './rope.js';

// Bounds of plausible models: far above any published one, low enough that sizes stay exact and allocations sane.
const MAX_LAYERS = 1024;
const MAX_WIDTH = 1 << 18;
const MAX_HEADS = 1024;
const MAX_VOCAB = 1 << 20;
const MAX_CONTEXT = 1 << 24;
const MAX_HEAD_DIM = 512;

/** What the parts of one family do that config.json may not say. */
export interface DecoderTraits {
  readonly qkNorm: boolean;
  readonly qkvBias: boolean;
  readonly attentionOutputBias: boolean;
  readonly mlpBias: boolean;
  /** tie_word_embeddings where the field is absent. */
  readonly tiedByDefault: boolean;
  readonly windows: readonly number[];
}

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

/** Reads everything but what the family's `traits` decide. Errors: `config_invalid`, `unsupported_config`. */
export function parseDecoderConfig(config: ConfigReader, modelType: string, traits: DecoderTraits): ModelConfig {
  refuseForeignMathematics(config);
  const act = config.text('hidden_act') ?? 'silu';
  if (act !== 'silu' && act !== 'swish') throw unsupported('hidden_act', act, 'silu');

  const hiddenSize = config.integer('hidden_size', { min: 1, max: MAX_WIDTH });
  const numHeads = config.integer('num_attention_heads', { min: 1, max: MAX_HEADS });
  const numKvHeads = config.integer('num_key_value_heads', { min: 1, max: numHeads, fallback: numHeads });
  if (numHeads % numKvHeads !== 0) {
    throw invalid('num_key_value_heads', numKvHeads, `a divisor of num_attention_heads, which is ${numHeads}`);
  }
  const headDim = config.integer('head_dim', { min: 1, max: MAX_HEAD_DIM, fallback: hiddenSize / numHeads });
  if (headDim % 8 !== 0) throw unsupported('head_dim', headDim, `multiples of 8 up to ${MAX_HEAD_DIM}`);

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
    qkNorm: traits.qkNorm,
    rope: parseRope(config, headDim),
    windows: traits.windows,
  };
}

/** num_hidden_layers. Errors: `config_invalid`. */
export function numLayersOf(config: ConfigReader): number {
  return config.integer('num_hidden_layers', { min: 1, max: MAX_LAYERS });
}

function contextLengthOf(config: ConfigReader): number {
  return config.integer('max_position_embeddings', { min: 1, max: MAX_CONTEXT, fallback: 2048 });
}

function refuseForeignMathematics(config: ConfigReader): void {
  for (const [field, neutral] of Object.entries(FOREIGN_MATHEMATICS)) {
    if (!config.has(field) || neutral.includes(config.raw(field))) continue;
    throw unsupported(field, config.raw(field), neutral.length === 0 ? 'none' : neutral.map(String).join(' or '));
  }
}

/** Names under which transformers 5 nests a rope of its own for each kind of layer. */
const LAYER_TYPES = ['full_attention', 'sliding_attention', 'chunked_attention', 'linear_attention'];

/** Rope from `rope_parameters` (transformers 5), else from `rope_theta` and `rope_scaling` (as published). */
function parseRope(config: ConfigReader, headDim: number): Rope {
  const parameters = config.object('rope_parameters');
  const source = parameters ?? config.object('rope_scaling');
  const theta = parameters?.has('rope_theta')
    ? parameters.positive('rope_theta')
    : config.positive('rope_theta', 10_000);
  if (headDim % 2 !== 0) throw invalid('head_dim', headDim, 'even, because rope turns pairs');
  const scaling = parseScaling(config, source, headDim);
  const published = config.object('rope_scaling');
  if (published !== undefined && JSON.stringify(parseScaling(config, published, headDim)) !== JSON.stringify(scaling)) {
    throw invalid('rope_scaling', config.raw('rope_scaling'), 'absent, or say what rope_parameters says');
  }
  return { theta, rotaryDim: headDim, scaling };
}

function parseScaling(config: ConfigReader, source: ConfigReader | undefined, headDim: number): RopeScaling {
  if (source === undefined) return { type: 'none' };
  for (const type of LAYER_TYPES) {
    if (source.has(type)) throw unsupported(`${source.path}.${type}`, source.raw(type), 'one rope for all layers');
  }
  if (source.has('partial_rotary_factor') && source.raw('partial_rotary_factor') !== 1) {
    throw unsupported(`${source.path}.partial_rotary_factor`, source.raw('partial_rotary_factor'), '1');
  }
  const type = source.text('rope_type') ?? source.text('type') ?? 'default';
  if (type === 'default') return { type: 'none' };
  if (type === 'linear') return { type: 'linear', factor: source.positive('factor') };
  if (type === 'factors') return { type: 'factors', factors: parseFactors(source, headDim / 2) };
  if (type !== 'llama3') throw unsupported(`${source.path}.rope_type`, type, 'default, linear, llama3, factors');
  const lowFreqFactor = source.positive('low_freq_factor');
  const highFreqFactor = source.positive('high_freq_factor');
  if (highFreqFactor <= lowFreqFactor) {
    throw invalid(
      `${source.path}.high_freq_factor`,
      highFreqFactor,
      `above low_freq_factor, which is ${lowFreqFactor}`,
    );
  }
  return {
    type: 'llama3',
    factor: source.positive('factor'),
    lowFreqFactor,
    highFreqFactor,
    originalContextLength: source.positive('original_max_position_embeddings', contextLengthOf(config)),
  };
}

/** What each frequency is divided by, one for each pair of dimensions: how GGUF files say llama3's scaling. */
function parseFactors(source: ConfigReader, pairs: number): number[] {
  const factors = source.raw('factors');
  const isFactor = (value: unknown): value is number =>
    typeof value === 'number' && Number.isFinite(value) && value > 0;
  if (Array.isArray(factors) && factors.length === pairs && factors.every(isFactor)) return factors;
  throw invalid(`${source.path}.factors`, factors, `a list of ${pairs} numbers above 0`);
}
