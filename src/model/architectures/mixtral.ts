import { decoderFamily } from '../decoder-family.js';
import { numLayersOf } from '../decoder-config.js';
import { expertSizes } from '../experts-config.js';
import { expertMlp } from '../parts/expert-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { mistralTraits } from './mistral.js';

/** Mixtral: Mistral with experts in every layer. Source: transformers' MixtralForCausalLM. */
export const mixtral = decoderFamily({
  title: 'Mixtral, as directories',
  modelType: 'mixtral',
  layer: [
    selfAttention(),
    expertMlp({
      router: 'block_sparse_moe.gate',
      experts: 'block_sparse_moe.experts',
      gate: 'w1',
      up: 'w3',
      down: 'w2',
    }),
  ],
  // Absent fields have the values of MixtralConfig.
  fields: (config) => ({
    sliding_window: config.raw('sliding_window') ?? null,
    num_local_experts: config.raw('num_local_experts') ?? 8,
    num_experts_per_tok: config.raw('num_experts_per_tok') ?? 2,
  }),
  traits: (config) => ({
    ...mistralTraits(config),
    experts: {
      ...expertSizes(config, { count: 'num_local_experts', width: 'intermediate_size' }),
      isRenormalised: true,
      sharedWidth: 0,
      layers: Array.from({ length: numLayersOf(config) }, () => true),
    },
    reads: ['num_local_experts'],
  }),
});
