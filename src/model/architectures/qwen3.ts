import type { ConfigReader } from '../config-json.js';
import type { DecoderTraits } from '../decoder-config.js';
import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { qwenWindows } from '../sliding-window.js';

/** Qwen3, dense: norms on query and key heads. Source: transformers' Qwen3ForCausalLM. */
export const qwen3 = decoderFamily({
  title: 'Qwen3, dense',
  modelType: 'qwen3',
  layer: [selfAttention(), gatedMlp()],
  traits: qwen3Traits,
  gguf: { architecture: 'qwen3', permutesHeads: false, biasFields: { attention_bias: 'attn_q' } },
});

/** What is common to Qwen3, dense and with experts. */
export function qwen3Traits(config: ConfigReader): DecoderTraits {
  const attentionBias = config.boolean('attention_bias', false);
  return {
    qkNorm: 'head',
    qkvBias: attentionBias,
    attentionOutputBias: attentionBias,
    mlpBias: false,
    tiedByDefault: false,
    windows: qwenWindows(config),
  };
}
