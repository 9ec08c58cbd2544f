// A small model with every kind of state: its layers have heads of their own, windows, convolutions, a recurrence, and keys and
// values of others. Some attentions have sinks and a soft cap, and so have its logits.

import type { ComputeGraph, Op } from '../../src/compute/index.js';
import { parseModelConfig, type WeightSpec } from '../../src/model/index.js';
import { recurrence } from '../../src/model/parts/recurrence.js';
import { allRows, vector } from '../../src/model/weight-table.js';
import { TINY_CONFIG } from './tiny-model.js';

/** A lfm2 whose attentions `mixKinds` changes. */
export const MIXED_KINDS = {
  model_type: 'lfm2',
  num_hidden_layers: 6,
  layer_types: ['full_attention', 'conv', 'full_attention', 'full_attention', 'conv', 'full_attention'],
  block_auto_adjust_ff_dim: false,
  conv_L_cache: 3,
  tie_embedding: true,
};

/** Attentions of widths that are no multiples of 32. Two have a window, two read an earlier one's cache, two a soft cap, two sinks. */
const attentions: Readonly<Record<number, Partial<Op<'attention'>>>> = {
  0: { numHeads: 4, numKvHeads: 2, headDim: 24, window: 40 },
  2: { numHeads: 2, numKvHeads: 1, headDim: 40, softCap: 1.5, sinks: 'layers.2.sinks' },
  3: { numHeads: 4, numKvHeads: 2, headDim: 24, window: 40, cacheOf: 0, softCap: 0.75 },
  5: { numHeads: 3, numKvHeads: 1, headDim: 40, cacheOf: 2, sinks: 'layers.5.sinks' },
};

/** The layer whose convolution becomes a recurrence, which has a convolution, too. */
const RECURRENT = 4;
const RECURRENCE = {
  keyHeads: 2,
  valueHeads: 6,
  keyDim: 12,
  valueDim: 20,
  sharing: 'apart',
  taps: 3,
  fused: 'all',
  layers: [],
} as const;

/** The model with its own attentions and its recurrence, and the weights that these have. */
export function mixKinds(
  graph: ComputeGraph,
  specs: readonly WeightSpec[],
): { graph: ComputeGraph; specs: WeightSpec[] } {
  const mixed = mixAttentions(graph, specs);
  const config = {
    ...parseModelConfig({ ...TINY_CONFIG, ...MIXED_KINDS }),
    deltaRule: RECURRENCE,
  };
  const isReplaced = (name: string): boolean => name.startsWith(`layers.${RECURRENT}.convolution`);
  const isOfConvolution = (op: Op): boolean =>
    op.op === 'convolution' ? isReplaced(op.weight) : op.op === 'linear' && isReplaced(op.weight);
  const first = mixed.graph.ops.findIndex(isOfConvolution);
  const rest = (ops: readonly Op[]): Op[] => ops.filter((op) => !isOfConvolution(op));
  const { ops } = mixed.graph;
  return {
    graph: {
      ...graph,
      ops: [...rest(ops.slice(0, first)), ...recurrence.ops(config, RECURRENT), ...rest(ops.slice(first))],
      widths: { ...graph.widths, ...Object.fromEntries(recurrence.widths?.(config, RECURRENT) ?? []) },
    },
    specs: [
      ...mixed.specs.filter(({ name }) => !isReplaced(name)),
      ...recurrence.weights(config, RECURRENT),
      ...recurrence.smallWeights(config, RECURRENT),
    ],
  };
}

function mixAttentions(
  graph: ComputeGraph,
  specs: readonly WeightSpec[],
): { graph: ComputeGraph; specs: WeightSpec[] } {
  const shared = new Set<string>();
  const sizes = new Map<string, Partial<WeightSpec>>();
  const sinks: WeightSpec[] = [];
  const ops = graph.ops.map((op): Op => {
    if (op.op === 'logits') return { ...op, softCap: 6 };
    if (op.op !== 'attention') return op;
    const at = `layers.${op.layer}`;
    const own = { ...op, ...attentions[op.layer] };
    const { numHeads, numKvHeads, headDim, cacheOf } = own;
    if (own.sinks !== undefined) sinks.push(vector(own.sinks, [allRows(own.sinks, numHeads)]));
    sizes.set(`${at}.query`, { rows: numHeads * headDim });
    sizes.set(`${at}.attentionOutput`, { columns: numHeads * headDim });
    for (const name of ['key', 'value']) sizes.set(`${at}.${name}`, { rows: numKvHeads * headDim });
    for (const name of ['queryNorm', 'keyNorm']) sizes.set(`${at}.${name}`, { rows: headDim });
    if (cacheOf === undefined) return own;
    for (const name of ['key', 'value', 'keyNorm']) shared.add(`${at}.${name}`);
    const { key: _key, value: _value, keyNorm: _keyNorm, ...rest } = own;
    return rest;
  });
  return {
    graph: { ...graph, ops },
    specs: [
      ...specs.filter(({ name }) => !shared.has(name)).map((spec) => ({ ...spec, ...sizes.get(spec.name) })),
      ...sinks,
    ],
  };
}
