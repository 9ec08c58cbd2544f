import { present } from '../../base/index.js';
import type { Op } from '../../compute/index.js';
import type { ModelConfig } from '../config.js';
import { allRows, matrix, panels, vector, type WeightSpec } from '../weight-table.js';
import { panelNames } from '../column-panels.js';
import { normBefore, normBeforeWeights, residualOutput } from './part-norms.js';
import type { DecoderPart } from './part.js';

/** A gated short convolution after an RMS norm, `norm` of the checkpoint. Source: transformers' Lfm2ShortConv. */
export function shortConvolution(norm: string): DecoderPart {
  return {
    ops: (config, layer) => convolutionOps(config, layer, norm),
    weights: (config, layer) => convolutionWeights(config, layer, norm),
    smallWeights: convolutionFilter,
    ggufNames: {
      attn_norm: norm,
      'shortconv.in_proj': 'conv.in_proj',
      'shortconv.conv': 'conv.conv',
      'shortconv.out_proj': 'conv.out_proj',
    },
  };
}

function tapsOf({ convolution }: ModelConfig): number {
  return present(convolution, 'a family with convolutions').taps;
}

function convolutionOps(config: ModelConfig, layer: number, norm: string): Op[] {
  const { hiddenSize } = config;
  const at = `layers.${layer}`;
  const before = normBefore(`${at}.convolutionNorm`, norm);
  const weight = `${at}.convolutionFilter`;
  return [
    {
      op: 'linear',
      input: 'hidden',
      ...before,
      weights: [`${at}.convolutionInput`],
      output: 'mixer',
      epilogue: 'store',
    },
    { op: 'convolution', layer, taps: tapsOf(config), channels: hiddenSize, weight },
    {
      op: 'linear',
      input: 'mixed',
      weights: panelNames(`${at}.convolutionOutput`, hiddenSize),
      ...residualOutput(undefined),
    },
  ];
}

function convolutionWeights(config: ModelConfig, layer: number, norm: string): WeightSpec[] {
  const { hiddenSize } = config;
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  return [
    ...normBeforeWeights(`${at}.convolutionNorm`, from, config, norm),
    matrix(`${at}.convolutionInput`, 'layer', hiddenSize, [allRows(`${from}.conv.in_proj.weight`, 3 * hiddenSize)]),
    ...panels(`${at}.convolutionOutput`, hiddenSize, allRows(`${from}.conv.out_proj.weight`, hiddenSize)),
  ];
}

function convolutionFilter(config: ModelConfig, layer: number): WeightSpec[] {
  const shape = [config.hiddenSize, tapsOf(config)] as const;
  const source = allRows(`model.layers.${layer}.conv.conv.weight`, shape[0] * shape[1]);
  return [{ ...vector(`layers.${layer}.convolutionFilter`, [source]), shape }];
}
