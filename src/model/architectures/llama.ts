import { parseDecoderConfig } from '../decoder-config.js';
import { noWindows } from '../sliding-window.js';
import { decoderForward } from '../decoder.js';
import { decoderWeights } from '../weight-table.js';
import type { Architecture } from '../architecture.js';

/** Llama 2 and 3 and their relatives. Source: transformers' LlamaForCausalLM. */
export const llama: Architecture = {
  modelType: 'llama',
  parseConfig: (config) => {
    const attentionBias = config.boolean('attention_bias', false);
    return parseDecoderConfig(config, {
      modelType: 'llama',
      qkNorm: false,
      qkvBias: attentionBias,
      attentionOutputBias: attentionBias,
      mlpBias: config.boolean('mlp_bias', false),
      tiedByDefault: false,
      windows: noWindows(config),
    });
  },
  weights: decoderWeights,
  forward: decoderForward,
};
