import type { ConfigReader } from '../config-json.js';
import type { DecoderTraits } from '../decoder-config.js';
import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { oneWindow } from '../sliding-window.js';

/** Mistral: one window for all layers, or none. Its GGUF files are of llama. Source: transformers' MistralForCausalLM. */
export const mistral = decoderFamily({
  title: 'Mistral 7B, Nemo, Small, as directories',
  modelType: 'mistral',
  layer: [selfAttention(), gatedMlp()],
  traits: mistralTraits,
});

/** What is common to Mistral, dense and with experts. */
export function mistralTraits(config: ConfigReader): DecoderTraits {
  return {
    qkvBias: false,
    attentionOutputBias: false,
    mlpBias: false,
    tiedByDefault: false,
    windows: oneWindow(config, 4096),
  };
}
