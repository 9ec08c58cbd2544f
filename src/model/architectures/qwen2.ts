import { parseDecoderConfig } from '../decoder-config.js';
import { qwenWindows } from '../sliding-window.js';
import { decoderForward } from '../decoder.js';
import { decoderWeights } from '../weight-table.js';
import type { Architecture } from '../architecture.js';

/** Qwen2 and 2.5: biases on query, key and value that no field announces. Source: transformers' Qwen2ForCausalLM. */
export const qwen2: Architecture = {
  modelType: 'qwen2',
  parseConfig: (config) =>
    parseDecoderConfig(config, {
      modelType: 'qwen2',
      qkNorm: false,
      qkvBias: true,
      attentionOutputBias: false,
      mlpBias: false,
      tiedByDefault: false,
      windows: qwenWindows(config),
    }),
  weights: decoderWeights,
  forward: decoderForward,
};
