import { decoderFamily } from '../decoder-family.js';
import { numLayersOf } from '../decoder-config.js';
import { expertMlp } from '../parts/expert-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { mistralTraits } from './mistral.js';

const MAX_EXPERTS = 4096;
const MAX_WIDTH = 1 << 18;

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
  fields: (config) => ({ sliding_window: config.raw('sliding_window') ?? null }),
  traits(config) {
    const count = config.integer('num_local_experts', { min: 1, max: MAX_EXPERTS, fallback: 8 });
    return {
      ...mistralTraits(config),
      experts: {
        count,
        chosen: config.integer('num_experts_per_tok', { min: 1, max: count, fallback: 2 }),
        width: config.integer('intermediate_size', { min: 1, max: MAX_WIDTH }),
        isRenormalised: true,
        layers: Array.from({ length: numLayersOf(config) }, () => true),
      },
      reads: ['num_local_experts'],
    };
  },
});
