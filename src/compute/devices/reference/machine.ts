/**
 * The state of the interpreter: weights and activations as float32, a KV cache of float32. Each number is summed
 * in float64. Nothing of the CPU's memory plan or kernels is in it, so it is a twin of both.
 */

import { present } from '../../../base/index.js';
import type { Batch, DeviceCapacity } from '../../batch.js';
import { widthOf, type ComputeGraph } from '../../compute-graph.js';
import type { DeviceInit } from '../../device.js';
import { KV_BLOCK_TOKENS } from '../../kv-block.js';
import {
  bufferNames,
  fixedStates,
  pagedLayers,
  type BufferName,
  type Norm,
  type PagedState,
  type Projection,
} from '../../ops/index.js';
import { floatsOf, type PlannedTensor } from '../../layout.js';
import { poolOf } from '../../plan-blocks.js';

/** The argument for the engine's thread. Structured cloning shares the memories and copies the rest. */
export interface ReferenceInit extends DeviceInit {
  readonly graph: ComputeGraph;
  readonly capacity: DeviceCapacity;
  /** Each tensor, f32 [rows, columns]. */
  readonly weights: readonly (readonly [PlannedTensor, Uint8Array])[];
  /** Of each layer with a cache f32 [blocks of its pool · KV_BLOCK_TOKENS, 2, its numKvHeads · headDim]: keys, then values. */
  readonly cache: SharedArrayBuffer;
  /** f32 [stateSlots, floats of all states of fixed size]. */
  readonly states: SharedArrayBuffer;
  /** i32 [1]: not 0 while the step that runs shall end. */
  readonly stop: SharedArrayBuffer;
}

/** What an op works with. */
export interface Machine {
  readonly graph: ComputeGraph;
  /** A row of a buffer of activations, f32 [its width]. */
  row(buffer: BufferName, row: number): Float32Array;
  /** A row of logits, f32 [vocabSize]. */
  logits(index: number): Float32Array;
  /** A vector of the model, f32. */
  vector(name: string): Float32Array;
  /** The row `index` of a matrix, f32 [columns]. */
  weightRow(name: string, index: number): Float32Array;
  /**
   * Inputs · weightᵀ + bias, f64 [rows of the matrix] for each input. Of the matrices of experts, `rows` each, it is that of
   * one.
   */
  multiply(
    projection: Projection,
    inputs: readonly Float64Array[],
    of?: { readonly expert: number; readonly rows: number },
  ): Float64Array[];
  /** RMS norm, f64. Without a norm it is a copy. */
  norm(values: Float32Array, norm: Norm | undefined): Float64Array;
  /** The pool of a layer's blocks. */
  poolOf(layer: number): number;
  /** The key or the value of a layer in a slot of the cache, f32 [numKvHeads · headDim]. */
  cached(layer: number, slot: number, which: 'key' | 'value'): Float32Array;
  /** The state of that name in a slot, f32 of its size. */
  state(name: string, slot: number): Float32Array;
  /** All states in a slot. */
  states(slot: number): Float32Array;
}

/** Floats of a token's keys and values in one layer. */
export function cacheWidth({ numKvHeads, headDim }: Pick<PagedState, 'numKvHeads' | 'headDim'>): number {
  return 2 * numKvHeads * headDim;
}

/** An op of a step. */
export type RunOp<Op> = (op: Op, machine: Machine, batch: Batch) => void;

/** Opens the state over what `init` has. */
export function createMachine({ graph, capacity, weights, cache, states }: ReferenceInit): Machine {
  const { vocabSize, rmsNormEps } = graph;
  const rows = (count: number, width: number): Float32Array[] =>
    Array.from({ length: count }, () => new Float32Array(width));
  const { maxRows, maxSequences } = capacity;
  const buffers = new Map(bufferNames.map((name) => [name, rows(maxRows, widthOf(graph, name))]));
  const logits = rows(maxSequences, vocabSize);
  const tensors = new Map(weights.map(([tensor, bytes]) => [tensor.name, { ...tensor, bytes }]));
  const tensorOf = (name: string): PlannedTensor & { readonly bytes: Uint8Array } =>
    present(tensors.get(name), `the model has tensor ${name}`);
  const sizes = fixedStates(graph.ops);
  const stateFloats = [...sizes.values()].reduce((sum, floats) => sum + floats, 0);
  const statesAt = (slot: number): Float32Array =>
    new Float32Array(states, slot * stateFloats * Float32Array.BYTES_PER_ELEMENT, stateFloats);
  let cacheFloats = 0;
  const caches = new Map(
    pagedLayers(graph.ops).map((paged) => {
      const [width, first] = [cacheWidth(paged), cacheFloats];
      const { pool, blocks } = poolOf(capacity, paged);
      cacheFloats += blocks * KV_BLOCK_TOKENS * width;
      return [paged.layer, { width, first, pool }];
    }),
  );
  const cacheOf = (layer: number): { readonly width: number; readonly first: number; readonly pool: number } =>
    present(caches.get(layer), 'a layer with a cache');

  const vector = (name: string): Float32Array => floatsOf(tensorOf(name).bytes);

  const weightRow = (name: string, index: number): Float32Array => {
    const { bytes, columns } = tensorOf(name);
    return floatsOf(bytes).subarray(index * columns, (index + 1) * columns);
  };

  return {
    graph,
    row: (buffer, row) => present(buffers.get(buffer)?.[row], 'a row of the step'),
    logits: (index) => present(logits[index], 'a logit row of the step'),
    vector,
    weightRow,
    multiply({ weight, bias }, inputs, of) {
      const { rows: allRows, columns } = tensorOf(weight);
      const outputs = of?.rows ?? allRows;
      const before = of === undefined ? 0 : of.expert * of.rows;
      const addends = bias === undefined ? undefined : vector(bias);
      const factors = vector(weight);
      return inputs.map((input) => {
        const results = new Float64Array(outputs);
        for (let output = 0; output < outputs; output++) {
          const sum = dot(input, 0, factors, (before + output) * columns, columns);
          results[output] = sum + (addends?.[output] ?? 0);
        }
        return results;
      });
    },
    norm(values, norm) {
      if (norm === undefined) return new Float64Array(values);
      return normalize(values, vector(norm.weight), rmsNormEps);
    },
    poolOf: (layer) => cacheOf(layer).pool,
    cached(layer, slot, which) {
      const { width, first } = cacheOf(layer);
      const at = first + slot * width + (which === 'key' ? 0 : width / 2);
      return new Float32Array(cache, at * Float32Array.BYTES_PER_ELEMENT, width / 2);
    },
    state(name, slot) {
      let before = 0;
      for (const [other, floats] of sizes) {
        if (other === name) return statesAt(slot).subarray(before, before + floats);
        before += floats;
      }
      throw new Error(`the graph has no state ${name}`);
    },
    states: statesAt,
  };
}

/** cap · tanh(value / cap), or `value` where there is no cap. */
export function capped(value: number, cap: number | undefined): number {
  return cap === undefined ? value : cap * Math.tanh(value / cap);
}

/** The sum of the products of `length` numbers of both, from these indices on. */
export function dot(a: Float64Array, aStart: number, b: Float32Array, bStart: number, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += (a[aStart + i] as number) * (b[bStart + i] as number);
  return sum;
}

/** values / √(mean of squares + eps) · weight. */
export function normalize(values: Float32Array | Float64Array, weight: Float32Array, eps: number): Float64Array {
  const result = new Float64Array(values);
  let squares = 0;
  for (let i = 0; i < result.length; i++) squares += (result[i] as number) ** 2;
  const factor = 1 / Math.sqrt(squares / result.length + eps);
  for (let i = 0; i < result.length; i++) result[i] = (result[i] as number) * factor * (weight[i] as number);
  return result;
}
