import { panelNames } from '../column-panels.js';
import type { ModelConfig } from '../config.js';
import { matrix, panels, vector, allRows, type RowSource, type WeightSpec } from '../weight-table.js';
import type { Op } from '../../compute/index.js';
import { normAfterOps, normAfterWeights, normBefore, normBeforeWeights, residualOutput } from './part-norms.js';
import { withUsual, type DecoderPart, type PartNorms, type DecoderPartOptions } from './part.js';

/** The checkpoint's names that differ between families. */
const TENSORS = { gate: 'mlp.gate_proj', up: 'mlp.up_proj', down: 'mlp.down_proj' };

/**
 * activation(gate) · up, then down, after an RMS norm unless the family has none there. Gate and up are one matrix, in turns
 * of a group of rows. So the product of the two needs no op of its own.
 */
export function gatedMlp(options: DecoderPartOptions<keyof typeof TENSORS> = {}): DecoderPart {
  const { norms, names } = withUsual({ norm: 'post_attention_layernorm', tensors: TENSORS }, options);
  const { norm, normAfter } = norms;
  return {
    ops: (config, layer) => mlpOps(config, layer, norms),
    weights: (config, layer) => mlpWeights(config, layer, norms, names),
    smallWeights: (config, layer) => mlpBiases(config, layer, names),
    ggufNames: {
      ...(norm !== null && { ffn_norm: norm }),
      ffn_gate: names.gate,
      ffn_up: names.up,
      ffn_down: names.down,
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

function mlpWeights(
  config: ModelConfig,
  layer: number,
  { norm, normAfter }: PartNorms,
  { gate, up, down }: typeof TENSORS,
): WeightSpec[] {
  const { hiddenSize, intermediateSize } = config;
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  return [
    ...normBeforeWeights(`${at}.mlpNorm`, from, config, norm),
    matrix(`${at}.gateUp`, 'layer', hiddenSize, inTurns(from, [gate, up], 'weight', intermediateSize), 2),
    ...panels(`${at}.down`, intermediateSize, allRows(`${from}.${down}.weight`, hiddenSize)),
    ...normAfterWeights(`${at}.mlpNormAfter`, from, config, normAfter),
  ];
}

function mlpBiases(config: ModelConfig, layer: number, { gate, up, down }: typeof TENSORS): WeightSpec[] {
  if (!config.mlpBias) return [];
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  return [
    vector(`${at}.gateUpBias`, inTurns(from, [gate, up], 'bias', config.intermediateSize), 0, 2),
    vector(`${at}.downBias`, [allRows(`${from}.${down}.bias`, config.hiddenSize)]),
  ];
}

/** The rows of gate and those of up, which are stored in turns. */
export function inTurns(
  from: string,
  halves: readonly [string, string],
  kind: 'weight' | 'bias',
  rows: number,
): RowSource[] {
  return halves.map((half) => allRows(`${from}.${half}.${kind}`, rows));
}
