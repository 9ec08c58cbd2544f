import { present } from '../../../../base/index.js';
import type { Batch, KvTables } from '../../../batch.js';
import { KV_BLOCK_TOKENS } from '../../../kv-block.js';
import type { AttentionOp, HeadNorm } from '../../../ops/index.js';
import { capped, dot, normalize, type Machine, type RunOp } from '../machine.js';

export const attention: RunOp<AttentionOp> = (op, machine, batch) => {
  const { rows, positions } = batch;
  const { slots } = tablesOf(op, machine, batch);
  const inputs = Array.from({ length: rows }, (_, row) => machine.norm(machine.row('hidden', row), op.norm));
  const queries = machine.multiply(op.query, inputs);
  const [keys, values] = [op.key, op.value].map((projection) => projection && machine.multiply(projection, inputs));
  // A row sees the rows before it in the same step, so all are in the cache before one is read.
  for (let row = 0; row < rows; row++) {
    const position = positions[row] as number;
    const slot = slots[row] as number;
    turnHeads(queries[row] as Float64Array, position, op.queryNorm, op, machine);
    if (keys === undefined || values === undefined) continue;
    turnHeads(keys[row] as Float64Array, position, op.keyNorm, op, machine);
    machine.cached(op.layer, slot, 'key').set(keys[row] as Float64Array);
    machine.cached(op.layer, slot, 'value').set(values[row] as Float64Array);
  }
  for (let row = 0; row < rows; row++) attend(queries[row] as Float64Array, row, op, machine, batch);
};

/** The places of the rows in the pool that the layer's keys and values are in. */
function tablesOf({ layer, cacheOf = layer }: AttentionOp, { poolOf }: Machine, batch: Batch): KvTables {
  return present([batch, ...batch.windows][poolOf(cacheOf)], 'tables of each pool');
}

/** In place: the norm, then the rotary embedding, which turns the pairs (i, i + pairs) of each head. */
function turnHeads(
  heads: Float64Array,
  position: number,
  norm: HeadNorm | undefined,
  { rope, headDim }: AttentionOp,
  { graph, vector }: Machine,
): void {
  const { rmsNormEps, ropes } = graph;
  const { frequencies, magnitude } = ropes[rope ?? -1] ?? { frequencies: new Float64Array(0), magnitude: 1 };
  const pairs = frequencies.length;
  if (norm?.spans === 'row') heads.set(normalize(heads, vector(norm.weight), rmsNormEps));
  for (let at = 0; at + headDim <= heads.length; at += headDim) {
    const head = heads.subarray(at, at + headDim);
    if (norm?.spans === 'head') head.set(normalize(head, vector(norm.weight), rmsNormEps));
    for (let pair = 0; pair < pairs; pair++) {
      const angle = position * (frequencies[pair] as number);
      const [a, b] = [head[pair] as number, head[pair + pairs] as number];
      head[pair] = magnitude * (a * Math.cos(angle) - b * Math.sin(angle));
      head[pair + pairs] = magnitude * (b * Math.cos(angle) + a * Math.sin(angle));
    }
  }
}

/** Of each head of a row: the scores of all tokens in sight, their softmax, and the weighted sum of the values. */
function attend(queries: Float64Array, row: number, op: AttentionOp, machine: Machine, batch: Batch): void {
  const { numHeads, numKvHeads, headDim, scale, softCap, cacheOf = op.layer } = op;
  const sinks = op.sinks === undefined ? undefined : machine.vector(op.sinks);
  const blocks = tablesOf(op, machine, batch).blockTables[batch.sequences[row] as number] ?? [];
  const last = batch.positions[row] as number;
  const first = op.window > 0 ? Math.max(0, last - op.window + 1) : 0;
  const seen = Array.from({ length: last - first + 1 }, (_, i) => {
    const block = blocks[Math.floor((first + i) / KV_BLOCK_TOKENS)] as number;
    return block * KV_BLOCK_TOKENS + ((first + i) % KV_BLOCK_TOKENS);
  });
  const keys = seen.map((slot) => machine.cached(cacheOf, slot, 'key'));
  const values = seen.map((slot) => machine.cached(cacheOf, slot, 'value'));
  const out = machine.row('attention', row);
  for (let head = 0; head < numHeads; head++) {
    const kv = Math.floor(head / (numHeads / numKvHeads)) * headDim;
    const scores = keys.map((key) => capped(dot(queries, head * headDim, key, kv, headDim) * scale, softCap));
    const sink = sinks?.[head] ?? -Infinity;
    const largest = scores.reduce((most, score) => Math.max(most, score), sink);
    const weights = scores.map((score) => Math.exp(score - largest));
    const total = weights.reduce((sum, weight) => sum + weight, Math.exp(sink - largest));
    const sums = new Float64Array(headDim);
    for (const [at, value] of values.entries()) addScaled(sums, weights[at] as number, value, kv);
    for (let i = 0; i < headDim; i++) out[head * headDim + i] = (sums[i] as number) / total;
  }
}

/** Adds to `sums` as many values from `start` on, times `weight`. */
function addScaled(sums: Float64Array, weight: number, values: Float32Array, start: number): void {
  for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] as number) + weight * (values[start + i] as number);
}
