import type { ConfigReader } from '../config-json.js';
import type { DecoderTraits } from '../decoder-config.js';
import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { alternatingWindows } from '../sliding-window.js';

/** The parts of a layer of Gemma 2 and 3, with norms before and after each. */
export const gemmaLayer = [
  selfAttention({ normAfter: { tensor: 'post_attention_layernorm', gguf: 'post_attention_norm' } }),
  gatedMlp({
    norm: 'pre_feedforward_layernorm',
    normAfter: { tensor: 'post_feedforward_layernorm', gguf: 'post_ffw_norm' },
  }),
];

/** What Gemma 2 and 3 share: norms multiply by 1 + weight, and all layers but every `pattern`th have a window. */
export function gemmaTraits(config: ConfigReader, pattern: number): DecoderTraits {
  return {
    qkvBias: config.boolean('attention_bias', false),
    attentionOutputBias: config.boolean('attention_bias', false),
    mlpBias: false,
    tiedByDefault: true,
    windows: alternatingWindows(config, pattern),
    activation: 'gelu',
    embeddingScale: Math.sqrt,
    normOffset: 1,
    attentionScale: config.positive('query_pre_attn_scalar', 256) ** -0.5,
    reads: ['query_pre_attn_scalar'],
  };
}

/** query_pre_attn_scalar of a GGUF file. llama.cpp takes it from the hidden size in the 27B model, known by its layers. */
export function gemmaQueryScalar(number: (key: string) => number | undefined, layersOf27B: number): number {
  const perHead = (number('embedding_length') ?? 0) / (number('attention.head_count') ?? 1);
  return number('block_count') === layersOf27B ? perHead : (number('attention.key_length') ?? perHead);
}

/**
 * Gemma 2: every second layer has a window, and scores and logits have soft caps. Source: transformers' Gemma2ForCausalLM; for
 * GGUF llama.cpp, llama-model.cpp, LLM_ARCH_GEMMA2.
 */
export const gemma2 = decoderFamily({
  title: 'Gemma 2',
  modelType: 'gemma2',
  layer: gemmaLayer,
  traits(config) {
    const shared = gemmaTraits(config, 2);
    return {
      ...shared,
      attentionSoftCap: softCap(config, 'attn_logit_softcapping', 50),
      logitsSoftCap: softCap(config, 'final_logit_softcapping', 30),
      reads: [...(shared.reads ?? []), 'attn_logit_softcapping', 'final_logit_softcapping'],
    };
  },
  gguf: {
    architecture: 'gemma2',
    permutesHeads: false,
    biasFields: {},
    fields: {
      keys: ['attention.sliding_window', 'attn_logit_softcapping', 'final_logit_softcapping'],
      read: (number) => ({
        hidden_activation: 'gelu_pytorch_tanh',
        sliding_window: number('attention.sliding_window') ?? 4096,
        attn_logit_softcapping: number('attn_logit_softcapping') ?? 50,
        final_logit_softcapping: number('final_logit_softcapping') ?? 30,
        query_pre_attn_scalar: gemmaQueryScalar(number, 46),
      }),
    },
  },
});

/** A bound that null or 0 turns off. Errors: `config_invalid`. */
function softCap(config: ConfigReader, field: string, fallback: number): number {
  const isOff = config.raw(field) === null || config.raw(field) === 0;
  return isOff ? 0 : config.positive(field, fallback);
}
