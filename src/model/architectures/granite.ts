import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { noWindows } from '../sliding-window.js';
import { biasesIn } from './llama.js';

/**
 * Granite 3, dense: factors of the embedding, of attention, of what each part adds and of the logits. Source: transformers'
 * GraniteForCausalLM; for GGUF llama.cpp, llama-model.cpp, LLM_ARCH_GRANITE.
 */
export const granite = decoderFamily({
  title: 'Granite 3, dense',
  modelType: 'granite',
  layer: [selfAttention(), gatedMlp()],
  traits: (config) => ({
    ...biasesIn(config),
    tiedByDefault: true,
    windows: noWindows(config),
    embeddingScale: () => config.positive('embedding_multiplier', 1),
    attentionScale: config.positive('attention_multiplier', 1),
    residualScale: config.positive('residual_multiplier', 1),
    logitsScale: 1 / config.positive('logits_scaling', 1),
    reads: ['embedding_multiplier', 'attention_multiplier', 'residual_multiplier', 'logits_scaling'],
  }),
  gguf: {
    architecture: 'granite',
    permutesHeads: true,
    biasFields: { attention_bias: 'attn_q', mlp_bias: 'ffn_up' },
    fields: {
      keys: ['embedding_scale', 'attention.scale', 'residual_scale', 'logit_scale'],
      // A factor of 0 is none.
      read: (number) => ({
        embedding_multiplier: number('embedding_scale') || 1,
        attention_multiplier: number('attention.scale') || headDimOf(number) ** -0.5,
        residual_multiplier: number('residual_scale') || 1,
        logits_scaling: number('logit_scale') || 1,
      }),
    },
  },
});

function headDimOf(number: (key: string) => number | undefined): number {
  return number('attention.key_length') ?? (number('embedding_length') ?? 0) / (number('attention.head_count') ?? 1);
}
