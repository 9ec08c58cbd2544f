import { configInvalid, type ConfigReader } from '../config-json.js';
import { numLayersOf } from '../decoder-config.js';
import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { selfAttention } from '../parts/self-attention.js';
import { qwenWindows } from '../sliding-window.js';
import { biasesIn } from './llama.js';

const MAX_INTERVAL = 1024;

/**
 * SmolLM3: some layers know no positions. Source: transformers' SmolLM3ForCausalLM; for GGUF llama.cpp, llama-model.cpp,
 * LLM_ARCH_SMOLLM3.
 */
export const smollm3 = decoderFamily({
  title: 'SmolLM3',
  modelType: 'smollm3',
  layer: [selfAttention(), gatedMlp()],
  traits: (config) => ({
    ...biasesIn(config),
    tiedByDefault: true,
    windows: qwenWindows(config),
    turns: turnsIn(config),
    reads: ['no_rope_layers'],
  }),
  gguf: {
    architecture: 'smollm3',
    permutesHeads: true,
    biasFields: { attention_bias: 'attn_q', mlp_bias: 'ffn_up' },
  },
});

/** The list says 1 for a layer that turns; without it every so many layers one does not. */
function turnsIn(config: ConfigReader): boolean[] {
  const numLayers = numLayersOf(config);
  const list = config.raw('no_rope_layers') ?? undefined;
  if (list === undefined) {
    const every = config.integer('no_rope_layer_interval', { min: 1, max: MAX_INTERVAL, fallback: 4 });
    return Array.from({ length: numLayers }, (_, layer) => (layer + 1) % every !== 0);
  }
  if (!Array.isArray(list) || list.length !== numLayers || !list.every((turns) => turns === 0 || turns === 1)) {
    throw configInvalid('no_rope_layers', list, `an array of ${numLayers} numbers, 1 or 0 a layer`);
  }
  return list.map((turns) => turns === 1);
}
