import { decoderFamily } from '../decoder-family.js';
import { numLayersOf } from '../decoder-config.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { alternatingWindows } from '../sliding-window.js';

/** Of so many layers one has no window, where there are windows. */
const PATTERN = 4;

/**
 * EXAONE 4: norms after each part and none before, and in models with windows only the layers with one turn. Source:
 * transformers' Exaone4ForCausalLM; for GGUF llama.cpp, llama-model.cpp, LLM_ARCH_EXAONE4.
 */
export const exaone4 = decoderFamily({
  title: 'EXAONE 4',
  modelType: 'exaone4',
  layer: [
    selfAttention({ norm: null, normAfter: { tensor: 'post_attention_layernorm', gguf: 'post_attention_norm' } }),
    gatedMlp({ norm: null, normAfter: { tensor: 'post_feedforward_layernorm', gguf: 'post_ffw_norm' } }),
  ],
  // A text such as LLLG.
  fields: () => ({ sliding_window_pattern: PATTERN }),
  traits: (config) => {
    const windows = config.has('sliding_window')
      ? alternatingWindows(config, PATTERN)
      : Array.from({ length: numLayersOf(config) }, () => 0);
    const isMixed = windows.some((window) => window > 0);
    return {
      qkNorm: 'head',
      qkvBias: false,
      attentionOutputBias: false,
      mlpBias: false,
      tiedByDefault: false,
      windows,
      turns: windows.map((window) => !isMixed || window > 0),
    };
  },
  gguf: {
    architecture: 'exaone4',
    permutesHeads: false,
    biasFields: {},
    fields: {
      keys: ['attention.sliding_window'],
      read: (number) => ({ hidden_act: 'silu', sliding_window: number('attention.sliding_window') ?? null }),
    },
  },
});
