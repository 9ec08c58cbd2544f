import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { noWindows } from '../sliding-window.js';

/** Seed-OSS: the output projection's bias has a field of its own. Source: transformers' SeedOssForCausalLM. */
export const seedOss = decoderFamily({
  title: 'Seed-OSS, as directories',
  modelType: 'seed_oss',
  layer: [selfAttention(), gatedMlp()],
  traits: (config) => ({
    qkvBias: config.boolean('attention_bias', true),
    attentionOutputBias: config.boolean('attention_out_bias', false),
    mlpBias: config.boolean('mlp_bias', false),
    tiedByDefault: false,
    windows: noWindows(config),
  }),
});
