import { panelNames } from '../column-panels.js';
import type { ModelConfig } from '../config.js';
import { matrix, panels, vector, allRows, type RowSource, type WeightSpec } from '../weight-table.js';
import type { Op } from '../../compute/index.js';
import { normAfterOps, normAfterWeights, normBefore, normBeforeWeights, residualOutput } from './part-norms.js';
import type { DecoderPart, PartNorms } from './part.js';

/** Rows that are packed together; one group of gate, one of up. */
const GROUP = 8;

/**
 * activation(gate) · up, then down, after an RMS norm unless the family has none there. Gate and up are one matrix, interleaved by
 * groups of 8 rows, so that the product of the two needs no op of its own.
 */
export function gatedMlp({ norm = 'post_attention_layernorm', normAfter }: PartNorms = {}): DecoderPart {
  const norms = { norm, ...(normAfter && { normAfter }) };
  return {
    ops: (config, layer) => mlpOps(config, layer, norms),
    weights: (config, layer) => mlpWeights(config, layer, norms),
    smallWeights: mlpBiases,
    ggufNames: {
      ...(norm !== null && { ffn_norm: norm }),
      ffn_gate: 'mlp.gate_proj',
      ffn_up: 'mlp.up_proj',
      ffn_down: 'mlp.down_proj',
      ...(normAfter && { [normAfter.gguf]: normAfter.tensor }),
    },
  };
}

function mlpOps(config: ModelConfig, layer: number, { norm, normAfter }: PartNorms): Op[] {
  const at = `layers.${layer}`;
  return [
    {
      op: 'linear',
      input: 'hidden',
      ...normBefore(`${at}.mlpNorm`, norm),
      weights: [`${at}.gateUp`],
      ...(config.mlpBias && { bias: `${at}.gateUpBias` }),
      output: 'mlp',
      epilogue: config.activation === 'gelu' ? 'geluGate' : 'siluGate',
    },
    {
      op: 'linear',
      input: 'mlp',
      weights: panelNames(`${at}.down`, config.intermediateSize),
      ...(config.mlpBias && { bias: `${at}.downBias` }),
      ...residualOutput(normAfter),
    },
    ...normAfterOps(`${at}.mlpNormAfter`, normAfter),
  ];
}

function mlpWeights(config: ModelConfig, layer: number, { norm, normAfter }: PartNorms): WeightSpec[] {
  const { hiddenSize, intermediateSize } = config;
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  return [
    ...normBeforeWeights(`${at}.mlpNorm`, from, config, norm),
    matrix(`${at}.gateUp`, 'layer', hiddenSize, gateAndUp(config, `${from}.mlp`, 'weight')),
    ...panels(`${at}.down`, intermediateSize, allRows(`${from}.mlp.down_proj.weight`, hiddenSize)),
    ...normAfterWeights(`${at}.mlpNormAfter`, from, config, normAfter),
  ];
}

function mlpBiases(config: ModelConfig, layer: number): WeightSpec[] {
  if (!config.mlpBias) return [];
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}.mlp`;
  return [
    vector(`${at}.gateUpBias`, gateAndUp(config, from, 'bias')),
    vector(`${at}.downBias`, [allRows(`${from}.down_proj.bias`, config.hiddenSize)]),
  ];
}

/** Eight rows of gate, eight of up, and so on; the last group of each is filled with zeros. */
function gateAndUp(config: ModelConfig, from: string, part: 'weight' | 'bias'): RowSource[] {
  const sources: RowSource[] = [];
  // One text for all groups: maps of names would hash each of thousands.
  const halves = ['gate_proj', 'up_proj'].map((half) => `${from}.${half}.${part}`);
  for (let start = 0; start < config.intermediateSize; start += GROUP) {
    const count = Math.min(GROUP, config.intermediateSize - start);
    for (const tensor of halves) {
      sources.push({ tensor, start, count });
      if (count < GROUP) sources.push({ tensor: null, start: 0, count: GROUP - count });
    }
  }
  return sources;
}
