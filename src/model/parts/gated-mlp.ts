import { panelNames } from '../column-panels.js';
import type { ModelConfig } from '../config.js';
import { matrix, panels, vector, whole, type RowSource } from '../weight-table.js';
import type { DecoderPart } from './part.js';

/** Rows that are packed together; one group of gate, one of up. */
const GROUP = 8;

/**
 * silu(gate) · up, then down, after an RMS norm. Gate and up are one matrix, interleaved by groups of 8 rows, so that the
 * product of the two needs no op of its own.
 */
export const gatedMlp: DecoderPart = {
  ops(config, layer) {
    const at = `layers.${layer}`;
    return [
      {
        op: 'linear',
        input: 'hidden',
        norm: { weight: `${at}.mlpNorm` },
        weights: [`${at}.gateUp`],
        ...(config.mlpBias && { bias: `${at}.gateUpBias` }),
        output: 'mlp',
        epilogue: 'gate',
      },
      {
        op: 'linear',
        input: 'mlp',
        weights: panelNames(`${at}.down`, config.intermediateSize),
        ...(config.mlpBias && { bias: `${at}.downBias` }),
        output: 'hidden',
        epilogue: 'add',
      },
    ];
  },

  weights(config, layer) {
    const { hiddenSize, intermediateSize } = config;
    const at = `layers.${layer}`;
    const from = `model.layers.${layer}`;
    return [
      vector(`${at}.mlpNorm`, [whole(`${from}.post_attention_layernorm.weight`, hiddenSize)]),
      matrix(`${at}.gateUp`, 'layer', hiddenSize, gateAndUp(config, `${from}.mlp`, 'weight')),
      ...panels(`${at}.down`, intermediateSize, whole(`${from}.mlp.down_proj.weight`, hiddenSize)),
    ];
  },

  smallWeights(config, layer) {
    if (!config.mlpBias) return [];
    const at = `layers.${layer}`;
    const from = `model.layers.${layer}.mlp`;
    return [
      vector(`${at}.gateUpBias`, gateAndUp(config, from, 'bias')),
      vector(`${at}.downBias`, [whole(`${from}.down_proj.bias`, config.hiddenSize)]),
    ];
  },

  ggufNames: {
    ffn_norm: 'post_attention_layernorm',
    ffn_gate: 'mlp.gate_proj',
    ffn_up: 'mlp.up_proj',
    ffn_down: 'mlp.down_proj',
  },
};

/** Eight rows of gate, eight of up, and so on; the last group of each is filled with zeros. */
function gateAndUp(config: ModelConfig, from: string, part: 'weight' | 'bias'): RowSource[] {
  const sources: RowSource[] = [];
  for (let start = 0; start < config.intermediateSize; start += GROUP) {
    const count = Math.min(GROUP, config.intermediateSize - start);
    for (const half of ['gate_proj', 'up_proj']) {
      sources.push({ tensor: `${from}.${half}.${part}`, start, count });
      if (count < GROUP) sources.push({ tensor: null, start: 0, count: GROUP - count });
    }
  }
  return sources;
}
