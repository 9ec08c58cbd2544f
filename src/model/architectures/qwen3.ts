import { parseDecoderConfig } from '../decoder-config.js';
import { qwenWindows } from '../sliding-window.js';
import { decoderForward } from '../decoder.js';
import { decoderWeights } from '../weight-table.js';
import type { Architecture } from '../architecture.js';

/** Qwen3, dense: norms on query and key heads. Source: transformers' Qwen3ForCausalLM. */
export const qwen3: Architecture = {
  modelType: 'qwen3',
  parseConfig: (config) => {
    const attentionBias = config.boolean('attention_bias', false);
    return parseDecoderConfig(config, {
      modelType: 'qwen3',
      qkNorm: true,
      qkvBias: attentionBias,
      attentionOutputBias: attentionBias,
      mlpBias: false,
      tiedByDefault: false,
      windows: qwenWindows(config),
    });
  },
  weights: decoderWeights,
  forward: decoderForward,
};
