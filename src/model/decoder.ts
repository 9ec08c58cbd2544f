// A decoder put together of its parts: the ops of its forward pass, and the tensors that these need.
import type { ComputeGraph } from '../compute/index.js';
import type { ModelConfig } from './config.js';
import type { DecoderPart } from './parts/part.js';
import { graphRope } from './rope.js';
import { matrix, vector, allRows, type WeightSpec } from './weight-table.js';

/** The forward pass: embedding, the parts of each layer, final norm and logits. */
export function decoderForward(config: ModelConfig, parts: readonly DecoderPart[]): ComputeGraph {
  const layers = Array.from({ length: config.numLayers }, (_, layer) =>
    parts.flatMap((part) => part.ops(config, layer)),
  );
  return {
    vocabSize: config.vocabSize,
    hiddenSize: config.hiddenSize,
    intermediateSize: config.intermediateSize,
    ...(config.experts && { experts: { count: config.experts.count, width: config.experts.width } }),
    numHeads: config.numHeads,
    numKvHeads: config.numKvHeads,
    headDim: config.headDim,
    numLayers: config.numLayers,
    rmsNormEps: config.rmsNormEps,
    attentionScale: config.attentionScale,
    ropes: config.ropes.map(graphRope),
    ops: [
      { op: 'embed', table: 'embedding', scale: config.embeddingScale },
      ...layers.flat(),
      { op: 'logits', norm: { weight: 'finalNorm' }, weight: config.tiedEmbeddings ? 'embedding' : 'output' },
    ],
  };
}

/** The tensors of the artifact, by those that Hugging Face checkpoints have. */
export function decoderWeights(config: ModelConfig, parts: readonly DecoderPart[], finalNorm: string): WeightSpec[] {
  const { vocabSize, hiddenSize } = config;
  const layers = Array.from({ length: config.numLayers }, (_, layer) => [
    ...parts.flatMap((part) => part.weights(config, layer)),
    ...parts.flatMap((part) => part.smallWeights(config, layer)),
  ]);
  const output = matrix('output', 'output', hiddenSize, [allRows('lm_head.weight', vocabSize)]);
  return [
    matrix('embedding', 'embedding', hiddenSize, [allRows('model.embed_tokens.weight', vocabSize)]),
    ...layers.flat(),
    vector('finalNorm', [allRows(`${finalNorm}.weight`, hiddenSize)], config.normOffset),
    ...(config.tiedEmbeddings ? [] : [output]),
  ];
}
