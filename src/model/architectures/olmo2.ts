import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { noWindows } from '../sliding-window.js';

/**
 * OLMo 2: norms after each part and none before, and norms of queries and keys over all heads together. Source:
 * transformers' Olmo2ForCausalLM; for GGUF llama.cpp, llama-model.cpp, LLM_ARCH_OLMO2.
 */
export const olmo2 = decoderFamily({
  title: 'OLMo 2',
  modelType: 'olmo2',
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
      windows: noWindows(config),
    };
  },
  gguf: { architecture: 'olmo2', permutesHeads: false, biasFields: { attention_bias: 'attn_q' } },
});
