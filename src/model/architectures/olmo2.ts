import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { alternatingWindows, noWindows } from '../sliding-window.js';

/**
 * OLMo 2: norms after each part and none before, and norms of queries and keys over all heads together. OLMo 3 adds windows
 * on three of four layers, whose rope is not scaled. Source: transformers' Olmo2ForCausalLM and Olmo3ForCausalLM; for
 * GGUF llama.cpp, llama-model.cpp, LLM_ARCH_OLMO2.
 */
export const olmo2 = decoderFamily({
  title: 'OLMo 2 and 3',
  modelType: 'olmo2',
  aliases: ['olmo3'],
  layer: [
    selfAttention({ norm: null, normAfter: { tensor: 'post_attention_layernorm', gguf: 'post_attention_norm' } }),
    gatedMlp({ norm: null, normAfter: { tensor: 'post_feedforward_layernorm', gguf: 'post_ffw_norm' } }),
  ],
  traits: (config) => {
    const attentionBias = config.boolean('attention_bias', false);
    return {
      qkNorm: 'row',
      qkvBias: attentionBias,
      attentionOutputBias: attentionBias,
      mlpBias: false,
      tiedByDefault: false,
      ...(config.has('sliding_window')
        ? { windows: alternatingWindows(config, 4), localRope: 'unscaled' }
        : { windows: noWindows(config) }),
    };
  },
  gguf: {
    architecture: 'olmo2',
    permutesHeads: false,
    biasFields: { attention_bias: 'attn_q' },
    fields: {
      keys: ['attention.sliding_window'],
      read: (number) => ({ hidden_act: 'silu', sliding_window: number('attention.sliding_window') ?? null }),
    },
  },
});
