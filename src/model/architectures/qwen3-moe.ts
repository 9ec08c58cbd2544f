import type { GgufFields } from '../architecture.js';
import { configInvalid, type ConfigReader } from '../config-json.js';
import type { ExpertsConfig } from '../config.js';
import { decoderFamily } from '../decoder-family.js';
import { numLayersOf } from '../decoder-config.js';
import { expertSizes } from '../experts-config.js';
import { expertMlp } from '../parts/expert-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { qwen3Traits } from './qwen3.js';

/** Fields of config.json about experts, from the metadata of GGUF files. */
export const qwenExpertFields: GgufFields = {
  keys: ['expert_count', 'expert_used_count'],
  read: (number) => ({
    hidden_act: 'silu',
    num_experts: number('expert_count'),
    num_experts_per_tok: number('expert_used_count'),
    moe_intermediate_size: number('expert_feed_forward_length'),
    norm_topk_prob: true,
  }),
};

/**
 * Qwen3 with experts: a softmax over their scores chooses. Source: transformers' Qwen3MoeForCausalLM; for GGUF llama.cpp,
 * llama-model.cpp, LLM_ARCH_QWEN3MOE, which always gives the chosen weights a sum of 1.
 */
export const qwen3Moe = decoderFamily({
  title: 'Qwen3 with experts (30B-A3B, 235B-A22B, Qwen3-Coder)',
  modelType: 'qwen3_moe',
  layer: [selfAttention(), expertMlp()],
  traits: (config) => ({ ...qwen3Traits(config), experts: qwenExperts(config), reads: ['num_experts'] }),
  gguf: {
    architecture: 'qwen3moe',
    permutesHeads: false,
    biasFields: { attention_bias: 'attn_q' },
    fields: qwenExpertFields,
  },
});

/** What is common to Qwen's families with experts. */
export function qwenExperts(config: ConfigReader): ExpertsConfig {
  const numLayers = numLayersOf(config);
  const every = config.integer('decoder_sparse_step', { min: 1, max: numLayers, fallback: 1 });
  const dense = config.raw('mlp_only_layers') ?? [];
  if (!Array.isArray(dense) || !dense.every((layer) => Number.isInteger(layer))) {
    throw configInvalid('mlp_only_layers', dense, 'a list of layers');
  }
  return {
    ...expertSizes(config, { count: 'num_experts', width: 'moe_intermediate_size' }),
    isRenormalised: config.boolean('norm_topk_prob', false),
    sharedWidth: 0,
    layers: Array.from({ length: numLayers }, (_, layer) => !dense.includes(layer) && (layer + 1) % every === 0),
  };
}
