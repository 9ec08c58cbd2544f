import { present } from '../../base/index.js';
import type { ConvolutionOp, Op } from '../../compute/index.js';
import type { ModelConfig } from '../config.js';
import { allRows, matrix, vector, type WeightSpec } from '../weight-table.js';
import { normAfterOps, normBefore, normBeforeWeights, residualOutput } from './part-norms.js';
import type { DecoderPart } from './part.js';

/** A gated short convolution after an RMS norm, `norm` of the checkpoint. Source: transformers' Lfm2ShortConv. */
export function shortConvolution(norm: string): DecoderPart {
  return {
    ops: (config, layer) => convolutionOps(config, layer, norm),
    weights: (config, layer) => convolutionWeights(config, layer, norm),
    smallWeights: (config, layer) => [convolutionFilter(layer, 'conv.conv', config.hiddenSize, tapsOf(config))],
    widths: ({ hiddenSize }) => [
      ['mixer', 3 * hiddenSize],
      ['mixed', hiddenSize],
    ],
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
  return [
    {
      op: 'linear',
      input: 'hidden',
      ...before,
      weight: `${at}.convolutionInput`,
      output: 'mixer',
      epilogue: 'store',
    },
    {
      op: 'convolution',
      ...convolutionNames(layer),
      form: 'gated',
      input: 'mixer',
      output: 'mixed',
      taps: tapsOf(config),
      channels: hiddenSize,
    },
    {
      op: 'linear',
      input: 'mixed',
      weight: `${at}.convolutionOutput`,
      ...residualOutput(config),
    },
    ...normAfterOps(config),
  ];
}

function convolutionWeights(config: ModelConfig, layer: number, norm: string): WeightSpec[] {
  const { hiddenSize } = config;
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  return [
    ...normBeforeWeights(`${at}.convolutionNorm`, from, config, norm),
    matrix(`${at}.convolutionInput`, 'layer', hiddenSize, [allRows(`${from}.conv.in_proj.weight`, 3 * hiddenSize)]),
    matrix(`${at}.convolutionOutput`, 'layer', hiddenSize, [allRows(`${from}.conv.out_proj.weight`, hiddenSize)]),
  ];
}

/** A convolution's state and its filter. */
export function convolutionNames(layer: number): Pick<ConvolutionOp, 'state' | 'weight'> {
  return { state: `layers.${layer}.convolution`, weight: `layers.${layer}.convolutionFilter` };
}

/** The filter, `tensor` of the layer in a checkpoint. */
export function convolutionFilter(layer: number, tensor: string, channels: number, taps: number): WeightSpec {
  const source = allRows(`model.layers.${layer}.${tensor}.weight`, channels * taps);
  return { ...vector(convolutionNames(layer).weight, [source]), shape: [channels, taps] };
}
