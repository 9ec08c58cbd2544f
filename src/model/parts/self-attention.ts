import { projectionNames, type AttentionOp, type Op, type Projection } from '../../compute/index.js';
import type { ModelConfig } from '../config.js';
import { matrix, vector, allRows, type RowSource, type WeightSpec } from '../weight-table.js';
import {
  gateLinear,
  normAfterOps,
  normAfterWeights,
  normBefore,
  normBeforeWeights,
  residualOutput,
} from './part-norms.js';
import { withUsual, type DecoderPart, type PartNorms, type DecoderPartOptions } from './part.js';

/** The checkpoint's names that differ between families. */
const TENSORS = { output: 'self_attn.o_proj', queryNorm: 'self_attn.q_norm', keyNorm: 'self_attn.k_norm' };

/**
 * Grouped-query self-attention with rope, after an RMS norm unless the family has none there. Queries, keys and values are
 * matrices of their own, head after head: a checkpoint may store each in another way. Biases and norms of queries and keys
 * as the config has them.
 */
export function selfAttention(options: DecoderPartOptions<keyof typeof TENSORS> = {}): DecoderPart {
  const { norms, names } = withUsual({ norm: 'input_layernorm', tensors: TENSORS }, options);
  const { norm, normAfter } = norms;
  return {
    ops: (config, layer) => attentionOps(config, layer, norms),
    weights: (config, layer) => attentionWeights(config, layer, norms, names),
    smallWeights: (config, layer) => smallAttentionWeights(config, layer, names),
    widths: ({ attentionGate, numHeads, headDim }) => (attentionGate ? [['gate', numHeads * headDim]] : []),
    ggufNames: {
      ...(norm !== null && { attn_norm: norm }),
      attn_q: 'self_attn.q_proj',
      attn_k: 'self_attn.k_proj',
      attn_v: 'self_attn.v_proj',
      attn_output: names.output,
      attn_q_norm: names.queryNorm,
      attn_k_norm: names.keyNorm,
      ...(normAfter && { [normAfter.gguf]: normAfter.tensor }),
    },
  };
}

function attentionOps(config: ModelConfig, layer: number, { norm, normAfter }: PartNorms): Op[] {
  const at = `layers.${layer}`;
  const window = config.windows[layer] ?? 0;
  const before = normBefore(`${at}.attentionNorm`, norm);
  return [
    ...(config.attentionGate ? [gateLinear(before, `${at}.attentionGate`)] : []),
    {
      op: 'attention',
      layer,
      numHeads: config.numHeads,
      numKvHeads: config.numKvHeads,
      headDim: config.headDim,
      scale: config.attentionScale,
      ...before,
      ...(Object.fromEntries(
        projectionNames.map((name) => [
          name,
          { weight: `${at}.${name}`, ...(config.qkvBias && { bias: `${at}.${name}Bias` }) },
        ]),
      ) as Record<(typeof projectionNames)[number], Projection>),
      ...headNorms(at, config.qkNorm),
      ...(config.turns[layer] === true && { rope: window > 0 && config.ropes.length > 1 ? 1 : 0 }),
      window,
      ...(config.attentionSoftCap > 0 && { softCap: config.attentionSoftCap }),
      ...(config.attentionSinks && { sinks: `${at}.sinks` }),
    },
    ...(config.attentionGate
      ? [{ op: 'sigmoidGate', values: 'attention', width: config.numHeads * config.headDim, spans: 'value' } as const]
      : []),
    {
      op: 'linear',
      input: 'attention',
      weight: `${at}.attentionOutput`,
      ...(config.attentionOutputBias && { bias: `${at}.attentionOutputBias` }),
      ...residualOutput(config, normAfter),
    },
    ...normAfterOps(config, normAfter && `${at}.attentionNormAfter`),
  ];
}

function headNorms(at: string, spans: ModelConfig['qkNorm']): Pick<AttentionOp, 'queryNorm' | 'keyNorm'> {
  if (spans === 'none') return {};
  return { queryNorm: { weight: `${at}.queryNorm`, spans }, keyNorm: { weight: `${at}.keyNorm`, spans } };
}

function attentionWeights(
  config: ModelConfig,
  layer: number,
  { norm, normAfter }: PartNorms,
  { output }: typeof TENSORS,
): WeightSpec[] {
  const { hiddenSize, numHeads, headDim } = config;
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  return [
    ...normBeforeWeights(`${at}.attentionNorm`, from, config, norm),
    ...projections(config).map(({ name, tensor, rows }) =>
      matrix(`${at}.${name}`, 'layer', hiddenSize, projectionRows(config, `${from}.self_attn.${tensor}`, name, rows)),
    ),
    ...(config.attentionGate
      ? [matrix(`${at}.attentionGate`, 'layer', hiddenSize, gatedRows(config, `${from}.self_attn.q_proj`, 1))]
      : []),
    matrix(`${at}.attentionOutput`, 'layer', numHeads * headDim, [allRows(`${from}.${output}.weight`, hiddenSize)]),
    ...normAfterWeights(`${at}.attentionNormAfter`, from, config, normAfter),
  ];
}

function smallAttentionWeights(config: ModelConfig, layer: number, names: typeof TENSORS): WeightSpec[] {
  const { hiddenSize, numHeads, numKvHeads, headDim, qkNorm, normOffset } = config;
  const widthOf = (heads: number): number => (qkNorm === 'row' ? heads : 1) * headDim;
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  return [
    ...(config.qkvBias
      ? projections(config).map(({ name, tensor, rows }) =>
          vector(`${at}.${name}Bias`, [allRows(`${from}.self_attn.${tensor}.bias`, rows)]),
        )
      : []),
    ...(config.attentionOutputBias
      ? [vector(`${at}.attentionOutputBias`, [allRows(`${from}.${names.output}.bias`, hiddenSize)])]
      : []),
    ...(config.attentionSinks ? [vector(`${at}.sinks`, [allRows(`${from}.self_attn.sinks`, numHeads)])] : []),
    ...(qkNorm !== 'none'
      ? [
          vector(`${at}.queryNorm`, [allRows(`${from}.${names.queryNorm}.weight`, widthOf(numHeads))], normOffset),
          vector(`${at}.keyNorm`, [allRows(`${from}.${names.keyNorm}.weight`, widthOf(numKvHeads))], normOffset),
        ]
      : []),
  ];
}

/** The rows of a projection. */
function projectionRows(config: ModelConfig, tensor: string, name: string, rows: number): RowSource[] {
  if (name === 'query' && config.attentionGate) return gatedRows(config, tensor, 0);
  return [allRows(`${tensor}.weight`, rows)];
}

/** Of a matrix with each head's query and then its gate, the rows of queries or of gates. */
function gatedRows({ numHeads, headDim }: ModelConfig, tensor: string, half: 0 | 1): RowSource[] {
  return Array.from({ length: numHeads }, (_, head) => ({
    tensor: `${tensor}.weight`,
    start: (2 * head + half) * headDim,
    count: headDim,
  }));
}

/** The checkpoint's tensor of each projection, and its rows. */
function projections({ numHeads, numKvHeads, headDim }: ModelConfig): {
  name: (typeof projectionNames)[number];
  tensor: string;
  rows: number;
}[] {
  return [
    { name: 'query', tensor: 'q_proj', rows: numHeads * headDim },
    { name: 'key', tensor: 'k_proj', rows: numKvHeads * headDim },
    { name: 'value', tensor: 'v_proj', rows: numKvHeads * headDim },
  ];
}
