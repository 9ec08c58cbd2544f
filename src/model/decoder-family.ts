import type { BufferName, ComputeGraph } from '../compute/index.js';
import type { Architecture, CheckpointNames, GgufFamily, GgufNames } from './architecture.js';
import type { ConfigReader } from './config-json.js';
import type { ModelConfig } from './config.js';
import { parseDecoderConfig, type DecoderTraits } from './decoder-config.js';
import type { DecoderPart, GgufTensorNames, NormAfter } from './parts/part.js';
import { graphRope } from './rope.js';
import { matrix, vector, allRows, type WeightSpec } from './weight-table.js';

/** Keys of all decoders' GGUF files that change the mathematics. Source: gguf-py, gguf/constants.py. */
const neutralValues: GgufNames['neutralValues'] = {
  expert_count: [0],
  expert_used_count: [0],
  'attention.sliding_window': [0],
  'attention.causal': [true],
  'attention.clamp_kqv': [0],
  'attention.max_alibi_bias': [0],
  'attention.scale': [],
  attn_logit_softcapping: [0],
  final_logit_softcapping: [0],
  logit_scale: [1],
  residual_scale: [1],
  embedding_scale: [1],
  use_parallel_residual: [false],
  'rope.scaling.type': ['none', 'linear', 'yarn'],
  'rope.scaling.attn_factor': [1],
  'rope.scaling.yarn_ext_factor': [1],
  'rope.scaling.yarn_log_multiplier': [0],
  'rope.scale_linear': [1],
};

/** The declaration of a family of decoders. */
export interface DecoderFamily {
  /** Models of it, as people call them. */
  readonly title: string;
  /** Its name in config.json. */
  readonly modelType: string;
  /** Other names in config.json of the same mathematics. */
  readonly aliases?: readonly string[];
  /** The parts of each layer, in order; each part norms its input and adds to the residual stream. */
  readonly layer: readonly DecoderPart[];
  /** The norm of the output: its tensor in a checkpoint, and in GGUF files. Default: model.norm, output_norm. */
  readonly finalNorm?: NormAfter;
  /** Fields of config.json as other families call them. Errors: `config_invalid`, `unsupported_config`. */
  readonly fields?: (config: ConfigReader) => Readonly<Record<string, unknown>>;
  /** Behaviour of its parts beyond config.json. Errors: `config_invalid`, `unsupported_config`. */
  readonly traits: (config: ConfigReader) => DecoderTraits;
  /** Default: its checkpoints have a text model alone. */
  readonly checkpoint?: CheckpointNames;
  /** Its GGUF files. Absent: it has none that can be read. */
  readonly gguf?: GgufFamily;
}

/** The architecture that a family's declaration makes. */
export function decoderFamily({
  title,
  modelType,
  aliases = [],
  layer,
  finalNorm = { tensor: 'model.norm', gguf: 'output_norm' },
  fields = () => ({}),
  traits,
  checkpoint,
  gguf,
}: DecoderFamily): Architecture {
  // Source: gguf-py, gguf/tensor_mapping.py.
  const tensors = {
    'token_embd.weight': 'model.embed_tokens.weight',
    [`${finalNorm.gguf}.weight`]: `${finalNorm.tensor}.weight`,
    'output.weight': 'lm_head.weight',
  };
  return {
    title,
    modelType,
    aliases,
    parseConfig(config) {
      const renamed = config.with(fields(config));
      return parseDecoderConfig(renamed, modelType, traits(renamed));
    },
    weights: (config) => decoderWeights(config, layer, finalNorm.tensor),
    forward: (config) => decoderForward(config, layer),
    ...(checkpoint && { checkpoint }),
    ...(gguf && {
      gguf: { ...gguf, neutralValues, tensors, layerTensors: { ...mergeNames(layer), ...gguf.layerTensors } },
    }),
  };
}

function mergeNames(layer: readonly DecoderPart[]): GgufTensorNames {
  return Object.fromEntries(layer.flatMap(({ ggufNames }) => Object.entries(ggufNames)));
}

/** The forward pass: embedding, the parts of each layer, final norm and logits. */
function decoderForward(config: ModelConfig, parts: readonly DecoderPart[]): ComputeGraph {
  const layers = Array.from({ length: config.numLayers }, (_, layer) =>
    parts.flatMap((part) => part.ops(config, layer)),
  );
  return {
    vocabSize: config.vocabSize,
    hiddenSize: config.hiddenSize,
    intermediateSize: config.intermediateSize,
    ...(config.experts && { experts: { count: config.experts.count, width: config.experts.width } }),
    numLayers: config.numLayers,
    rmsNormEps: config.rmsNormEps,
    ropes: config.ropes.map(graphRope),
    widths: widestBuffers(config, parts),
    ops: [
      { op: 'embed', table: 'embedding', scale: config.embeddingScale },
      ...layers.flat(),
      {
        op: 'logits',
        norm: { weight: 'finalNorm' },
        weight: config.tiedEmbeddings ? 'embedding' : 'output',
        scale: config.logitsScale,
        ...(config.logitsSoftCap > 0 && { softCap: config.logitsSoftCap }),
      },
    ],
  };
}

/** The widths of buffers, each the greatest that a layer needs. */
function widestBuffers(config: ModelConfig, parts: readonly DecoderPart[]): ComputeGraph['widths'] {
  const widths: { [Name in BufferName]?: number } = {};
  for (let layer = 0; layer < config.numLayers; layer++) {
    for (const part of parts) {
      for (const [name, width] of part.widths?.(config, layer) ?? []) widths[name] = Math.max(widths[name] ?? 0, width);
    }
  }
  return widths;
}

/** The tensors of the artifact, by those that Hugging Face checkpoints have. */
function decoderWeights(config: ModelConfig, parts: readonly DecoderPart[], finalNorm: string): WeightSpec[] {
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
