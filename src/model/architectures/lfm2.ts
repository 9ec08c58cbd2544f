import { configInvalid, unsupportedConfig, type ConfigReader } from '../config-json.js';
import type { ConvolutionConfig } from '../config.js';
import { numLayersOf } from '../decoder-config.js';
import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { partByLayer } from '../parts/part.js';
import { selfAttention } from '../parts/self-attention.js';
import { shortConvolution } from '../parts/short-convolution.js';

const NORM = 'operator_norm';
const CONVOLUTION = 'conv';
const ATTENTION = 'full_attention';
const MAX_WIDTH = 1 << 18;
const MAX_TAPS = 64;

/**
 * LFM2: most layers have a gated short convolution in place of attention. Source: transformers' Lfm2ForCausalLM; for GGUF
 * llama.cpp, llama-model.cpp, LLM_ARCH_LFM2.
 */
export const lfm2 = decoderFamily({
  title: 'LFM2, LFM2.5, dense',
  modelType: 'lfm2',
  layer: [
    partByLayer(
      {
        attention: selfAttention({
          norm: NORM,
          tensors: {
            output: 'self_attn.out_proj',
            queryNorm: 'self_attn.q_layernorm',
            keyNorm: 'self_attn.k_layernorm',
          },
        }),
        convolution: shortConvolution(NORM),
      },
      ({ convolution }, layer) => (convolution?.layers[layer] === true ? 'convolution' : 'attention'),
    ),
    gatedMlp({
      norm: 'ffn_norm',
      tensors: { gate: 'feed_forward.w1', up: 'feed_forward.w3', down: 'feed_forward.w2' },
    }),
  ],
  finalNorm: { tensor: 'model.embedding_norm', gguf: 'token_embd_norm' },
  fields: (config) => ({
    intermediate_size: widthIn(config),
    rms_norm_eps: config.raw('norm_eps') ?? config.raw('rms_norm_eps') ?? 1e-5,
    tie_word_embeddings: config.raw('tie_embedding') ?? config.raw('tie_word_embeddings'),
  }),
  traits: (config) => ({
    qkNorm: 'head',
    qkvBias: false,
    attentionOutputBias: false,
    mlpBias: false,
    tiedByDefault: true,
    windows: Array.from({ length: numLayersOf(config) }, () => 0),
    convolution: convolutionIn(config),
  }),
  gguf: {
    architecture: 'lfm2',
    permutesHeads: false,
    biasFields: {},
    fields: {
      keys: ['attention.head_count_kv'],
      read: (number, numbers) => ({
        hidden_act: 'silu',
        block_auto_adjust_ff_dim: false,
        conv_L_cache: number('shortconv.l_cache'),
        layer_types: numbers('attention.head_count_kv')?.map((heads) => (heads === 0 ? CONVOLUTION : ATTENTION)),
      }),
    },
  },
});

/** Width of the MLP: some configs give one that is two thirds larger than what is then rounded up. */
function widthIn(config: ConfigReader): number {
  const bounds = { min: 1, max: MAX_WIDTH };
  const width = config.integer(config.has('block_ff_dim') ? 'block_ff_dim' : 'intermediate_size', bounds);
  if (!config.boolean('block_auto_adjust_ff_dim', true)) return width;
  const of = config.integer('block_multiple_of', { ...bounds, fallback: 256 });
  const scaled = Math.floor(config.positive('block_ffn_dim_multiplier', 1) * Math.floor((2 * width) / 3));
  return Math.ceil(scaled / of) * of;
}

function convolutionIn(config: ConfigReader): ConvolutionConfig {
  if (config.boolean('conv_bias', false)) throw unsupportedConfig('conv_bias', true, 'false');
  const types = config.raw('layer_types');
  const numLayers = numLayersOf(config);
  const known: readonly unknown[] = [CONVOLUTION, ATTENTION];
  if (!Array.isArray(types) || types.length !== numLayers || !types.every((type) => known.includes(type))) {
    throw configInvalid('layer_types', types, `an array of ${numLayers} names, each ${known.join(' or ')}`);
  }
  return {
    taps: config.integer('conv_L_cache', { min: 2, max: MAX_TAPS, fallback: 3 }),
    layers: types.map((type) => type === CONVOLUTION),
  };
}
