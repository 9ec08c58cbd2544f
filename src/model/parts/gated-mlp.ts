import { panelNames } from '../column-panels.js';
import type { ModelConfig } from '../config.js';
import { matrix, panels, vector, allRows, type RowSource, type WeightSpec } from '../weight-table.js';
import type { Op } from '../../compute/index.js';
import { normAfterOps, normAfterWeights, normBefore, normBeforeWeights, residualOutput } from './part-norms.js';
import type { DecoderPart, PartNorms } from './part.js';

/**
 * activation(gate) · up, then down, after an RMS norm unless the family has none there. Gate and up are one matrix, in turns of a
 * group of rows, so that the product of the two needs no op of its own.
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
    matrix(`${at}.gateUp`, 'layer', hiddenSize, gateAndUp(`${from}.mlp`, 'weight', intermediateSize), 2),
    ...panels(`${at}.down`, intermediateSize, allRows(`${from}.mlp.down_proj.weight`, hiddenSize)),
    ...normAfterWeights(`${at}.mlpNormAfter`, from, config, normAfter),
  ];
}

function mlpBiases(config: ModelConfig, layer: number): WeightSpec[] {
  if (!config.mlpBias) return [];
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}.mlp`;
  return [
    vector(`${at}.gateUpBias`, gateAndUp(from, 'bias', config.intermediateSize), 0, 2),
    vector(`${at}.downBias`, [allRows(`${from}.down_proj.bias`, config.hiddenSize)]),
  ];
}

/** The rows of gate and those of up, which are stored in turns. */
export function gateAndUp(from: string, kind: 'weight' | 'bias', rows: number): RowSource[] {
  return ['gate_proj', 'up_proj'].map((half) => allRows(`${from}.${half}.${kind}`, rows));
}
