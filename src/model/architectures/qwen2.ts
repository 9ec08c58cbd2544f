import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { qwenWindows } from '../sliding-window.js';

/** Qwen2 and 2.5: biases on query, key and value that no field announces. Source: transformers' Qwen2ForCausalLM. */
export const qwen2 = decoderFamily({
  title: 'Qwen2, Qwen2.5',
  modelType: 'qwen2',
  layer: [selfAttention(), gatedMlp()],
  traits: (config) => ({
    qkvBias: true,
    attentionOutputBias: false,
    mlpBias: false,
    tiedByDefault: false,
    windows: qwenWindows(config),
  }),
  gguf: { architecture: 'qwen2', permutesHeads: false, biasFields: {} },
});
