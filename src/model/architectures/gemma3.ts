import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { alternatingWindows } from '../sliding-window.js';

/** Layers of the model whose attention scale llama.cpp takes from the hidden size: the 27B one. */
const LAYERS_OF_27B = 62;

/**
 * Gemma 3, text. Norms before and after each part multiply by 1 + weight. Most layers look back only so far, and turn
 * by a rope of their own. Source: transformers' Gemma3ForCausalLM; for GGUF llama.cpp, llama-model.cpp,
 * LLM_ARCH_GEMMA3.
 */
export const gemma3 = decoderFamily({
  title: 'Gemma 3, text',
  modelType: 'gemma3_text',
  layer: [
    selfAttention({ normAfter: { tensor: 'post_attention_layernorm', gguf: 'post_attention_norm' } }),
    gatedMlp({
      norm: 'pre_feedforward_layernorm',
      normAfter: { tensor: 'post_feedforward_layernorm', gguf: 'post_ffw_norm' },
    }),
  ],
  traits: (config) => ({
    qkNorm: 'head',
    qkvBias: config.boolean('attention_bias', false),
    attentionOutputBias: config.boolean('attention_bias', false),
    mlpBias: false,
    tiedByDefault: true,
    windows: alternatingWindows(config, 6),
    activation: 'gelu',
    embeddingScale: Math.sqrt,
    normOffset: 1,
    localRope: 'own base',
    attentionScale: config.positive('query_pre_attn_scalar', 256) ** -0.5,
    reads: ['query_pre_attn_scalar'],
  }),
  gguf: {
    architecture: 'gemma3',
    permutesHeads: false,
    biasFields: {},
    fields: {
      keys: ['attention.sliding_window'],
      read: (number) => {
        const headDim = (number('embedding_length') ?? 0) / (number('attention.head_count') ?? 1);
        const is27B = number('block_count') === LAYERS_OF_27B;
        return {
          hidden_activation: 'gelu_pytorch_tanh',
          sliding_window: number('attention.sliding_window') ?? null,
          sliding_window_pattern: number('attention.sliding_window_pattern') ?? 6,
          rope_theta: number('rope.freq_base') ?? 1_000_000,
          rope_local_base_freq: number('rope.freq_base_swa') ?? 10_000,
          query_pre_attn_scalar: is27B ? headDim : (number('attention.key_length') ?? headDim),
        };
      },
    },
  },
});
