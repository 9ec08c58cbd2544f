/**
 * Which tensors of a checkpoint make which matrices of the artifact, row by row. Fused matrices are laid out for
 * the forward pass: QKV by KV head, so that a thread owns whole heads; gate and up interleaved by groups of 8
 * rows, so that silu(gate) · up needs no pass of its own. Output and down are cut into panels where they are wide (column-panels.ts).
 */

import { columnPanels } from './column-panels.js';
import type { ModelConfig } from './config.js';

/** `count` rows (elements of a vector) of a checkpoint tensor from `start` on; null: zeros. */
export interface RowSource {
  readonly tensor: string | null;
  readonly start: number;
  readonly count: number;
}

/** One tensor of the artifact. rows and columns are true sizes; a vector has `rows` elements and one column. */
export interface WeightSpec {
  readonly name: string;
  readonly kind: 'matrix' | 'vector';
  /** Embedding and output keep 8 bits when the layers have 4. */
  readonly role: 'embedding' | 'output' | 'layer';
  readonly rows: number;
  readonly columns: number;
  /** Where these columns lie in the rows of the checkpoint's tensors, and how many columns those have. */
  readonly columnStart: number;
  readonly sourceColumns: number;
  readonly sources: readonly RowSource[];
}

/** Rows that are packed together; one group of gate, one of up. */
const GROUP = 8;

/** The weight table of a llama-like decoder with the tensor names that Hugging Face checkpoints use. */
export function decoderWeights(config: ModelConfig): WeightSpec[] {
  const { vocabSize, hiddenSize, numLayers } = config;
  const specs = [matrix('embedding', 'embedding', hiddenSize, [whole('model.embed_tokens.weight', vocabSize)])];
  for (let layer = 0; layer < numLayers; layer++) specs.push(...layerWeights(config, layer));
  specs.push(vector('finalNorm', [whole('model.norm.weight', hiddenSize)]));
  if (!config.tiedEmbeddings) {
    specs.push(matrix('output', 'output', hiddenSize, [whole('lm_head.weight', vocabSize)]));
  }
  return specs;
}

function layerWeights(config: ModelConfig, layer: number): WeightSpec[] {
  const { hiddenSize, intermediateSize, numHeads, headDim } = config;
  const at = `layers.${layer}`;
  const from = `model.layers.${layer}`;
  const specs = [
    vector(`${at}.attentionNorm`, [whole(`${from}.input_layernorm.weight`, hiddenSize)]),
    matrix(`${at}.qkv`, 'layer', hiddenSize, byKvHead(config, `${from}.self_attn`, 'weight')),
    ...panels(`${at}.attentionOutput`, numHeads * headDim, whole(`${from}.self_attn.o_proj.weight`, hiddenSize)),
    vector(`${at}.mlpNorm`, [whole(`${from}.post_attention_layernorm.weight`, hiddenSize)]),
    matrix(`${at}.gateUp`, 'layer', hiddenSize, gateAndUp(config, `${from}.mlp`, 'weight')),
    ...panels(`${at}.down`, intermediateSize, whole(`${from}.mlp.down_proj.weight`, hiddenSize)),
  ];
  if (config.qkvBias) specs.push(vector(`${at}.qkvBias`, byKvHead(config, `${from}.self_attn`, 'bias')));
  if (config.attentionOutputBias) {
    specs.push(vector(`${at}.attentionOutputBias`, [whole(`${from}.self_attn.o_proj.bias`, hiddenSize)]));
  }
  if (config.qkNorm) {
    specs.push(vector(`${at}.queryNorm`, [whole(`${from}.self_attn.q_norm.weight`, headDim)]));
    specs.push(vector(`${at}.keyNorm`, [whole(`${from}.self_attn.k_norm.weight`, headDim)]));
  }
  if (config.mlpBias) {
    specs.push(vector(`${at}.gateUpBias`, gateAndUp(config, `${from}.mlp`, 'bias')));
    specs.push(vector(`${at}.downBias`, [whole(`${from}.mlp.down_proj.bias`, hiddenSize)]));
  }
  return specs;
}

/** For each KV head: the rows of its query heads, of its key, of its value. */
function byKvHead(config: ModelConfig, from: string, part: 'weight' | 'bias'): RowSource[] {
  const { headDim, numKvHeads } = config;
  const queryRows = (config.numHeads / numKvHeads) * headDim;
  return Array.from({ length: numKvHeads }, (_, head) => [
    { tensor: `${from}.q_proj.${part}`, start: head * queryRows, count: queryRows },
    { tensor: `${from}.k_proj.${part}`, start: head * headDim, count: headDim },
    { tensor: `${from}.v_proj.${part}`, start: head * headDim, count: headDim },
  ]).flat();
}

/** Eight rows of gate, eight of up, and so on; the last group of each is filled with zeros. */
function gateAndUp(config: ModelConfig, from: string, part: 'weight' | 'bias'): RowSource[] {
  const sources: RowSource[] = [];
  for (let start = 0; start < config.intermediateSize; start += GROUP) {
    const count = Math.min(GROUP, config.intermediateSize - start);
    for (const half of ['gate_proj', 'up_proj']) {
      sources.push({ tensor: `${from}.${half}.${part}`, start, count });
      if (count < GROUP) sources.push({ tensor: null, start: 0, count: GROUP - count });
    }
  }
  return sources;
}

function whole(tensor: string, count: number): RowSource {
  return { tensor, start: 0, count };
}

function matrix(name: string, role: WeightSpec['role'], columns: number, sources: RowSource[]): WeightSpec {
  const rows = countRows(sources);
  return { name, kind: 'matrix', role, rows, columns, columnStart: 0, sourceColumns: columns, sources };
}

/** The panels of a layer's matrix, which adds to the residual stream. */
function panels(name: string, sourceColumns: number, source: RowSource): WeightSpec[] {
  return columnPanels(name, sourceColumns).map((panel) => ({
    ...matrix(panel.name, 'layer', panel.columns, [source]),
    columnStart: panel.start,
    sourceColumns,
  }));
}

function vector(name: string, sources: RowSource[]): WeightSpec {
  const rows = countRows(sources);
  return { name, kind: 'vector', role: 'layer', rows, columns: 1, columnStart: 0, sourceColumns: 1, sources };
}

function countRows(sources: readonly RowSource[]): number {
  return sources.reduce((sum, source) => sum + source.count, 0);
}
