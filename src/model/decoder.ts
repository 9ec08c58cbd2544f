import type { Op, ComputeGraph } from '../compute/index.js';
import { panelNames } from './column-panels.js';
import type { ModelConfig } from './config.js';
import { ropeFrequencies } from './rope.js';

/** The forward pass of a llama-like decoder: norm, attention, add; norm, gated mlp, add. */
export function decoderForward(config: ModelConfig): ComputeGraph {
  const ops: Op[] = [{ op: 'embed', table: 'embedding' }];
  for (let layer = 0; layer < config.numLayers; layer++) ops.push(...decoderLayer(config, layer));
  ops.push({ op: 'logits', norm: { weight: 'finalNorm' }, weight: config.tiedEmbeddings ? 'embedding' : 'output' });
  return {
    vocabSize: config.vocabSize,
    hiddenSize: config.hiddenSize,
    intermediateSize: config.intermediateSize,
    numHeads: config.numHeads,
    numKvHeads: config.numKvHeads,
    headDim: config.headDim,
    numLayers: config.numLayers,
    rmsNormEps: config.rmsNormEps,
    attentionScale: config.headDim ** -0.5,
    rotaryDim: config.rope.rotaryDim,
    ropeFrequencies: ropeFrequencies(config.rope),
    ops,
  };
}

function decoderLayer(config: ModelConfig, layer: number): Op[] {
  const at = `layers.${layer}`;
  return [
    {
      op: 'attention',
      layer,
      norm: { weight: `${at}.attentionNorm` },
      weight: `${at}.qkv`,
      ...(config.qkvBias && { bias: `${at}.qkvBias` }),
      ...(config.qkNorm && { queryNorm: `${at}.queryNorm`, keyNorm: `${at}.keyNorm` }),
      window: config.windows[layer] ?? 0,
    },
    {
      op: 'linear',
      input: 'attention',
      weights: panelNames(`${at}.attentionOutput`, config.numHeads * config.headDim),
      ...(config.attentionOutputBias && { bias: `${at}.attentionOutputBias` }),
      output: 'hidden',
      epilogue: 'add',
    },
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
}
