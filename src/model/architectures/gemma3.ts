import { decoderFamily } from '../decoder-family.js';
import { gemmaLayer, gemmaQueryScalar, gemmaTraits } from './gemma2.js';

/**
 * Gemma 3, text. Most layers look back only so far, and turn by a rope of their own. Source: transformers'
 * Gemma3ForCausalLM; for GGUF llama.cpp, llama-model.cpp, LLM_ARCH_GEMMA3.
 */
export const gemma3 = decoderFamily({
  title: 'Gemma 3, text',
  modelType: 'gemma3_text',
  layer: gemmaLayer,
  traits: (config) => ({ ...gemmaTraits(config, 6), qkNorm: 'head', localRope: 'own base' }),
  gguf: {
    architecture: 'gemma3',
    permutesHeads: false,
    biasFields: {},
    fields: {
      keys: ['attention.sliding_window'],
      read: (number) => ({
        hidden_activation: 'gelu_pytorch_tanh',
        sliding_window: number('attention.sliding_window') ?? null,
        sliding_window_pattern: number('attention.sliding_window_pattern') ?? 6,
        rope_theta: number('rope.freq_base') ?? 1_000_000,
        rope_local_base_freq: number('rope.freq_base_swa') ?? 10_000,
        query_pre_attn_scalar: gemmaQueryScalar(number, 62),
      }),
    },
  },
});
