import type { ConfigReader } from '../config-json.js';
import type { DecoderTraits } from '../decoder-config.js';
import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { noWindows } from '../sliding-window.js';

/** Llama 2 and 3 and their relatives. Source: transformers' LlamaForCausalLM. */
export const llama = decoderFamily({
  title: 'Llama 2 and 3, SmolLM2, and others of this form',
  modelType: 'llama',
  layer: [selfAttention(), gatedMlp()],
  traits: (config) => ({ ...biasesIn(config), tiedByDefault: false, windows: noWindows(config) }),
  gguf: {
    architecture: 'llama',
    permutesHeads: true,
    biasFields: { attention_bias: 'attn_q', mlp_bias: 'ffn_up' },
  },
});

/** The biases, by the fields of Llama's config. */
export function biasesIn(config: ConfigReader): Pick<DecoderTraits, 'qkvBias' | 'attentionOutputBias' | 'mlpBias'> {
  const attentionBias = config.boolean('attention_bias', false);
  return { qkvBias: attentionBias, attentionOutputBias: attentionBias, mlpBias: config.boolean('mlp_bias', false) };
}
