import { present } from '../../base/index.js';
import type { Op } from '../../compute/index.js';
import type { DeltaRuleConfig, ModelConfig } from '../config.js';
import { allRows, matrix, vector, type RowSource, type WeightSpec } from '../weight-table.js';
import { normAfterOps, normBefore, normBeforeWeights, residualOutput } from './part-norms.js';
import type { DecoderPart } from './part.js';
import { convolutionFilter, convolutionNames } from './short-convolution.js';

const NORM = 'input_layernorm';

/**
 * A recurrence by the gated delta rule after an RMS norm: queries, keys and values go through a short convolution first.
 * Source: transformers' Qwen3NextGatedDeltaNet and Qwen3_5GatedDeltaNet.
 */
export const recurrence: DecoderPart = {
  ops: recurrenceOps,
  weights: recurrenceWeights,
  smallWeights: smallRecurrenceWeights,
  widths(config) {
    const { channels, values, valueHeads } = sizesOf(config);
    return [
      ['heads', channels],
      ['convolved', channels],
      ['gate', values],
      ['rates', 2 * valueHeads],
      ['recurrent', values],
    ];
  },
  ggufNames: {
    attn_norm: NORM,
    attn_qkv: 'linear_attn.in_proj_qkv',
    attn_gate: 'linear_attn.in_proj_z',
    ssm_alpha: 'linear_attn.in_proj_a',
    ssm_beta: 'linear_attn.in_proj_b',
    ssm_ba: 'linear_attn.in_proj_ba',
    ssm_conv1d: 'linear_attn.conv1d',
    ssm_a: 'linear_attn.A_log',
    'ssm_dt.bias': 'linear_attn.dt_bias',
    ssm_norm: 'linear_attn.norm',
    ssm_out: 'linear_attn.out_proj',
  },
};

/** Sizes of a recurrence: values of all keys, of all value heads, and channels of the convolution. */
function sizesOf({ deltaRule: config }: ModelConfig): DeltaRuleConfig & Record<'keys' | 'values' | 'channels', number> {
  const own = present(config, 'a family with recurrences');
  const [keys, values] = [own.keyHeads * own.keyDim, own.valueHeads * own.valueDim];
  return { ...own, keys, values, channels: 2 * keys + values };
}

function recurrenceOps(config: ModelConfig, layer: number): Op[] {
  const { taps, fused: _, layers: __, keys: ___, values: ____, channels, ...heads } = sizesOf(config);
  const at = `layers.${layer}`;
  const norm = normBefore(`${at}.recurrenceNorm`, NORM);
  const project = (weight: string, output: 'heads' | 'gate' | 'rates'): Op => {
    return { op: 'linear', input: 'hidden', ...norm, weight: `${at}.${weight}`, output, epilogue: 'store' };
  };
  return [
    project('recurrenceHeads', 'heads'),
    project('recurrenceGate', 'gate'),
    project('recurrenceRates', 'rates'),
    {
      op: 'convolution',
      ...convolutionNames(layer),
      form: 'silu',
      input: 'heads',
      output: 'convolved',
      taps,
      channels,
    },
    {
      op: 'deltaRule',
      state: `${at}.recurrence`,
      ...heads,
      logDecay: `${at}.logDecay`,
      timeBias: `${at}.timeBias`,
      norm: `${at}.recurrenceOutputNorm`,
    },
    {
      op: 'linear',
      input: 'recurrent',
      weight: `${at}.recurrenceOutput`,
      ...residualOutput(config),
    },
    ...normAfterOps(config),
  ];
}

function recurrenceWeights(config: ModelConfig, layer: number): WeightSpec[] {
  const { hiddenSize } = config;
  const sizes = sizesOf(config);
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  const { heads, gate, rates } = projections(sizes, `${from}.linear_attn`);
  return [
    ...normBeforeWeights(`${at}.recurrenceNorm`, from, config, NORM),
    matrix(`${at}.recurrenceHeads`, 'layer', hiddenSize, heads),
    matrix(`${at}.recurrenceGate`, 'layer', hiddenSize, gate),
    matrix(`${at}.recurrenceRates`, 'layer', hiddenSize, rates),
    matrix(`${at}.recurrenceOutput`, 'layer', sizes.values, [
      allRows(`${from}.linear_attn.out_proj.weight`, hiddenSize),
    ]),
  ];
}

/** Rows of queries, keys and values; of gates; of both rates. */
function projections(
  { fused, keyHeads, valueHeads, keyDim, valueDim, values, channels }: ReturnType<typeof sizesOf>,
  from: string,
): Readonly<Record<'heads' | 'gate' | 'rates', RowSource[]>> {
  const each = valueHeads / keyHeads;
  /** Of a matrix with so many rows of each kind for a key head, one kind of all key heads. */
  const grouped = (tensor: string, counts: readonly number[], kind: number): RowSource[] => {
    const before = counts.slice(0, kind).reduce((sum, count) => sum + count, 0);
    const size = counts.reduce((sum, count) => sum + count, 0);
    return Array.from({ length: keyHeads }, (_, head) => ({
      tensor: `${from}.${tensor}.weight`,
      start: head * size + before,
      count: counts[kind] ?? 0,
    }));
  };
  const all = [keyDim, keyDim, each * valueDim, each * valueDim];
  const ofAll = (kind: number): RowSource[] => grouped('in_proj_qkvz', all, kind);
  const ofRates = (kind: number): RowSource[] => grouped('in_proj_ba', [each, each], kind);
  const whole = (part: string, count: number): RowSource => allRows(`${from}.in_proj_${part}.weight`, count);
  return {
    heads: fused === 'all' ? [0, 1, 2].flatMap(ofAll) : [whole('qkv', channels)],
    gate: fused === 'all' ? ofAll(3) : [whole('z', values)],
    rates: fused === 'none' ? [whole('b', valueHeads), whole('a', valueHeads)] : [0, 1].flatMap(ofRates),
  };
}

function smallRecurrenceWeights(config: ModelConfig, layer: number): WeightSpec[] {
  const { taps, channels, valueHeads, valueDim } = sizesOf(config);
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}.linear_attn`;
  return [
    convolutionFilter(layer, 'linear_attn.conv1d', channels, taps),
    vector(`${at}.logDecay`, [allRows(`${from}.A_log`, valueHeads)]),
    vector(`${at}.timeBias`, [allRows(`${from}.dt_bias`, valueHeads)]),
    vector(`${at}.recurrenceOutputNorm`, [allRows(`${from}.norm.weight`, valueDim)]),
  ];
}
