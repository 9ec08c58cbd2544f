import type { ModelConfig } from '../config.js';
import { matrix, vector, allRows, type WeightSpec } from '../weight-table.js';
import type { Op, Projection } from '../../compute/index.js';
import { normAfterOps, normAfterWeights, normBefore, normBeforeWeights, residualOutput } from './part-norms.js';
import { withUsual, type DecoderPart, type PartNorms, type DecoderPartOptions } from './part.js';

/** The checkpoint's names that differ between families. */
const TENSORS = { gate: 'mlp.gate_proj', up: 'mlp.up_proj', down: 'mlp.down_proj' };

/** activation(gate) · up, then down, after an RMS norm unless the family has none there. */
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
      gate: { ...projection(`${at}.gate`, config), activation: config.activation },
      ...projection(`${at}.up`, config),
      output: 'mlp',
      epilogue: 'store',
    },
    {
      op: 'linear',
      input: 'mlp',
      ...projection(`${at}.down`, config),
      ...residualOutput(config, normAfter),
    },
    ...normAfterOps(config, normAfter && `${at}.mlpNormAfter`),
  ];
}

function projection(weight: string, { mlpBias }: ModelConfig): Projection {
  return { weight, ...(mlpBias && { bias: `${weight}Bias` }) };
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
    matrix(`${at}.gate`, 'layer', hiddenSize, [allRows(`${from}.${gate}.weight`, intermediateSize)]),
    matrix(`${at}.up`, 'layer', hiddenSize, [allRows(`${from}.${up}.weight`, intermediateSize)]),
    matrix(`${at}.down`, 'layer', intermediateSize, [allRows(`${from}.${down}.weight`, hiddenSize)]),
    ...normAfterWeights(`${at}.mlpNormAfter`, from, config, normAfter),
  ];
}

function mlpBiases(config: ModelConfig, layer: number, { gate, up, down }: typeof TENSORS): WeightSpec[] {
  if (!config.mlpBias) return [];
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  return [
    vector(`${at}.gateBias`, [allRows(`${from}.${gate}.bias`, config.intermediateSize)]),
    vector(`${at}.upBias`, [allRows(`${from}.${up}.bias`, config.intermediateSize)]),
    vector(`${at}.downBias`, [allRows(`${from}.${down}.bias`, config.hiddenSize)]),
  ];
}
