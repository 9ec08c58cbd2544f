/**
 * The memory layout: weights, KV cache, activations and scratch, in segments of shared memory. A segment is one WASM
 * memory of at most 4 GiB. Activations exist in every segment, and only the residual stream is copied from one to the
 * next.
 */

import { alignUp, AppError, present } from '../../../../base/index.js';
import { paddedColumns, paddedRows } from '../../../../weights/index.js';
import { isFloat } from '../kernel-choice.js';
import { attentionScratchBytes, kvHeadBytes, matmulScratchBytes } from '../kernel-interface.js';
import { preparedRowBytes } from './prepared-rows.js';
import type { DeviceCapacity } from '../../../batch.js';
import { widthOf, type ComputeGraph, type GraphRope } from '../../../compute-graph.js';
import {
  attentionHeads,
  bufferNames,
  fixedStates,
  needsOf,
  pagedLayers,
  projectionNames,
  statesOf,
  type BufferName,
  type Heads,
  type Op,
  type PagedState,
} from '../../../ops/index.js';
import { KV_BLOCK_TOKENS, type KvFormat } from '../../../kv-block.js';
import type { PlannedTensor } from '../../../layout.js';
import { poolOf, type KvLayer } from '../../../plan-blocks.js';
import { cpuLayout } from '../layout.js';
import { rowBytes, rowParts } from '../logits/row-layout.js';

/** The first page of a segment belongs to the kernels: their constants (kernels-as/). */
const RESERVED_BYTES = 65_536;

/** Hands out ranges of a memory, one after the other. */
class Layout {
  /** A page: the artifact's alignment, and enough for every vector load. */
  static readonly ALIGNMENT = 4096;

  #bytes = RESERVED_BYTES;

  /** Start of the next range: the size of the memory so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The offset of a new range of `sizeBytes`. */
  take(sizeBytes: number): number {
    const offset = this.#bytes;
    this.#bytes = alignUp(offset + sizeBytes, Layout.ALIGNMENT);
    return offset;
  }
}

/** Most rows that go through a fused op together: weights are unpacked once for all, whose quantised form mostly stays in the L2 cache. */
export const ROW_TILE = 256;

/** Rows that are prepared together: a tile, or a whole step. */
export function tileRows({ maxRows }: Pick<Capacity, 'maxRows'>): number {
  return Math.min(ROW_TILE, maxRows);
}

/** Rows that are normed before they are quantised: few, so that they wait in a cache and take little memory. */
export const NORM_ROWS = 16;

/**
 * Added to the bytes of each f32 row. Most widths are multiples of 4 KiB. Rows at such distances would share a few sets
 * of the first-level cache, while a matmul writes to all of them in turn.
 */
const LINE_BYTES = 64;

/** In the place of a token's id: the row was given, and is in `hidden`. */
export const GIVEN_ROW = -1;

/** How much of everything a model gets. */
export interface Capacity extends DeviceCapacity {
  readonly kvFormat: KvFormat;
  /** Blocks of one sequence: its context. */
  readonly maxBlocksPerSequence: number;
  readonly threads: number;
  /** Largest segment, in bytes; a WASM memory ends at 4 GiB. */
  readonly segmentBytes: number;
}

/** A number for each buffer of activations; those that the graph does not use have no size. */
interface PerBuffer extends Readonly<Record<BufferName, number>> {
  readonly qkv: number;
  /** Gates of some rows' experts, a row for each. */
  readonly expertGate: number;
  /** What these experts give. */
  readonly expertOut: number;
  readonly logits: number;
}

/** Where the keys and values of a layer lie, block after block, in bytes. */
interface LayerCache {
  readonly at: number;
  /** Of blocks: 0, or 1 + its place in the capacity's `windows`. */
  readonly pool: number;
  readonly blockBytes: number;
}

/** Offsets in one segment, in bytes. */
export interface SegmentPlan extends PerBuffer {
  readonly bytes: number;
  readonly tensors: Readonly<Record<string, number>>;
  /** KV cache of each layer that lives here. */
  readonly caches: Readonly<Record<number, LayerCache>>;
  /** States of fixed size that live here, by name: f32 [stateSlots, floats]. */
  readonly states: Readonly<Record<string, number>>;
  /** i32 [maxRows] each; blockTables i32 [maxSequences, maxBlocksPerSequence]; rope f32 [ropes, maxRows, turning dims]. */
  readonly tokenIds: number;
  readonly positions: number;
  /** Of each pool of blocks. */
  readonly slots: readonly number[];
  readonly sequences: number;
  /** Slot that gets the states after each row, or −1. */
  readonly checkpoints: number;
  /** State slot of each sequence, i32 [maxSequences]. */
  readonly sequenceStates: number;
  readonly logitRows: number;
  /** Of each pool of blocks. */
  readonly blockTables: readonly number[];
  readonly rope: number;
  /** Mean turn of each rope over `MEAN_POSITIONS`: f32 [ropes, turning dims], cosines and then sines (writeMeanTurn). */
  readonly meanTurns: number;
  /** The sampler's scratch for one row of logits (row-layout.ts). */
  readonly row: number;
  readonly scratch: readonly ThreadScratch[];
}

/** Memory of one thread's own: rows before a fused op, and what kernels need. */
export interface ThreadScratch {
  /** Rows whose logits are wanted, or rows of experts. */
  readonly gathered: number;
  /** Which rows of the step these are, i32, where the graph has experts. */
  readonly expertRows: number;
  /** All rows of a tile where weights are floats, otherwise NORM_ROWS. */
  readonly normed: number;
  /** `tileRows` rows of the widest factor (prepared-rows.ts). */
  readonly quantized: number;
  readonly matmul: number;
  readonly attention: number;
  /** Of one head of a recurrence: query, key and change, where the graph has any. */
  readonly recurrence: number;
}

function recurrenceScratchBytes({ ops }: ComputeGraph): number {
  const sizes = ops.map((op) => (op.op === 'deltaRule' ? 2 * op.keyDim + op.valueDim : 0));
  return Math.max(0, ...sizes) * Float32Array.BYTES_PER_ELEMENT;
}

/** Widths in bytes of f32 rows. */
export type Strides = PerBuffer;

/** The whole plan; plain data, so that each thread builds its executor from it. */
export interface MemoryPlan {
  readonly capacity: Capacity;
  readonly strides: Strides;
  /** The stored tensors. */
  readonly tensors: Readonly<Record<string, PlannedTensor>>;
  /** The stored tensors of each tensor of the graph: the panels of its columns, or the one that has its rows. */
  readonly panels: Readonly<Record<string, readonly string[]>>;
  /** Segment of each op of the graph. */
  readonly opSegments: readonly number[];
  readonly segments: readonly SegmentPlan[];
}

/** The stored tensors that hold the tensor `name` of the graph. */
export function panelsOf({ panels }: Pick<MemoryPlan, 'panels'>, name: string): readonly string[] {
  return present(panels[name], `the model has tensor ${name}`);
}

/** The layers that keep keys and values, with the bytes of a token. */
export function kvLayers(graph: ComputeGraph, format: KvFormat): KvLayer[] {
  return pagedLayers(graph.ops).map((layer) => {
    return { window: layer.window, bytesPerToken: kvBlockBytes(layer, format) / KV_BLOCK_TOKENS };
  });
}

/** Bytes of a block of one layer's keys and values. */
function kvBlockBytes({ numKvHeads, headDim }: PagedState, format: KvFormat): number {
  return numKvHeads * kvHeadBytes(format, headDim);
}

/** Dimensions of a head that the rope turns. */
export function rotaryDimOf({ frequencies }: GraphRope): number {
  return 2 * frequencies.length;
}

/** Bytes between the tables of cosines and sines of two ropes for `maxRows` rows. */
export function ropeTableBytes({ ropes }: ComputeGraph, maxRows: number): number {
  return maxRows * Math.max(0, ...ropes.map(rotaryDimOf)) * 4;
}

/** Distributes `graph` over segments. Errors: `out_of_memory` when parts that must share a segment do not fit in one. */
export function planMemory(graph: ComputeGraph, tensors: readonly PlannedTensor[], capacity: Capacity): MemoryPlan {
  const byName = Object.fromEntries(tensors.map((tensor) => [tensor.name, tensor]));
  const panels: Record<string, string[]> = {};
  for (const { name, of } of tensors) for (const held of of) (panels[held] ??= []).push(name);
  const storedOf = (name: string): readonly string[] => panelsOf({ panels }, name);
  const strides = rowStrides(graph);
  const tensorOf = (name: string): PlannedTensor => present(byName[name], `the artifact has tensor ${name}`);
  const matrices = graph.ops.flatMap((op) => needsOf(op).matrices.map((matrix) => storedOf(matrix).map(tensorOf)));
  const open = (): SegmentDraft => new SegmentDraft(graph, capacity, strides, matrices);
  const drafts = [open()];
  const runs = runsOf(graph.ops).map((ops) => toRun(ops, storedOf));
  const paged = new Map(pagedLayers(graph.ops).map((state) => [state.layer, state]));
  const opSegments = runs.flatMap((run) => {
    const { ops } = run;
    const names = [...new Set(runsBeside(run, runs).flatMap(({ tensors: own }) => own))];
    const caches = pagedLayers(ops).map(({ layer }) => {
      const state = present(paged.get(layer), 'a layer of the graph');
      const { pool, blocks } = poolOf(capacity, state);
      const blockBytes = kvBlockBytes(state, capacity.kvFormat);
      return { layer, pool, blockBytes, bytes: blockBytes * blocks };
    });
    const states = fixedStates(ops);
    // Tied embeddings: the output matrix is where the embedding is, and its norm was placed with it.
    const held = drafts.find((draft) => names.some((name) => draft.tensors.has(name)));
    const missing = names
      .filter((name) => !held?.tensors.has(name))
      .map((name) => ({ name, bytes: cpuLayout.bytes(tensorOf(name)) }));
    const stateBytes = (floats: number): number => capacity.stateSlots * floats * 4;
    const needed = [
      ...missing.map(({ bytes }) => bytes),
      ...caches.map(({ bytes }) => bytes),
      ...[...states.values()].map(stateBytes),
    ].reduce((sum, bytes) => sum + alignUp(bytes, Layout.ALIGNMENT), 0);
    let draft = held ?? present(drafts.at(-1), 'a segment is open');
    if (held === undefined && draft.layout.bytes + needed > capacity.segmentBytes) {
      draft = open();
      drafts.push(draft);
    }
    if (draft.layout.bytes + needed > capacity.segmentBytes) throw tooLarge(ops, needed, capacity.segmentBytes);
    for (const { name, bytes } of missing) draft.tensors.set(name, draft.layout.take(bytes));
    for (const { layer, pool, blockBytes, bytes } of caches) {
      draft.caches.set(layer, { at: draft.layout.take(bytes), pool, blockBytes });
    }
    for (const [name, floats] of states) draft.states.set(name, draft.layout.take(stateBytes(floats)));
    return ops.map(() => drafts.indexOf(draft));
  });
  return {
    capacity,
    strides,
    tensors: byName,
    panels,
    opSegments,
    segments: drafts.map((draft) => draft.plan()),
  };
}

/** Start of queries, keys and values in a row of `qkv`, in bytes: each in whole groups of outputs. */
export function projectionPlaces({
  numHeads,
  numKvHeads,
  headDim,
}: Heads): Record<(typeof projectionNames)[number] | 'end', number> {
  const queryBytes = paddedRows(numHeads * headDim) * 4;
  const kvBytes = paddedRows(numKvHeads * headDim) * 4;
  return { query: 0, key: queryBytes, value: queryBytes + kvBytes, end: alignUp(queryBytes + 2 * kvBytes, 128) };
}

function rowStrides(graph: ComputeGraph): Strides {
  const bytes = (columns: number): number => paddedColumns(columns) * 4 + LINE_BYTES;
  const heads = attentionHeads(graph.ops);
  return {
    ...forEachBuffer((name) => bytes(widthOf(graph, name))),
    qkv: Math.max(0, ...heads.map((each) => projectionPlaces(each).end)) + LINE_BYTES,
    expertGate: bytes(graph.experts?.width ?? 0),
    expertOut: bytes(graph.hiddenSize),
    logits: bytes(graph.vocabSize),
  };
}

function forEachBuffer(of: (name: BufferName) => number): Record<BufferName, number> {
  return Object.fromEntries(bufferNames.map((name) => [name, of(name)])) as Record<BufferName, number>;
}

function tooLarge(run: readonly Op[], neededBytes: number, segmentBytes: number): AppError {
  const ops = run.map(({ op }) => op).join(' and ');
  return new AppError(
    'out_of_memory',
    `${ops} together need ${neededBytes} bytes in one segment, and a segment holds ${segmentBytes}; use a smaller quant or context`,
    { neededBytes, segmentBytes },
  );
}

/** A segment while it fills: activations and scratch first, then weights and caches. */
class SegmentDraft {
  readonly layout = new Layout();
  readonly tensors = new Map<string, number>();
  readonly caches = new Map<number, LayerCache>();
  readonly states = new Map<string, number>();
  readonly #fixed: Omit<SegmentPlan, 'bytes' | 'tensors' | 'caches' | 'states'>;

  /** `factors`: the matrices that ops multiply with, each as its panels. */
  constructor(
    graph: ComputeGraph,
    capacity: Capacity,
    strides: Strides,
    factors: readonly (readonly PlannedTensor[])[],
  ) {
    const { layout } = this;
    const { maxRows, maxSequences, maxBlocksPerSequence, threads } = capacity;
    const matrices = factors.flat();
    const hasFloats = matrices.some(({ quant }) => isFloat(quant));
    const widest = Math.max(...matrices.map(({ columns }) => paddedColumns(columns)));
    const attentionBytes = attentionHeads(graph.ops).map(({ numHeads, numKvHeads, headDim }) =>
      attentionScratchBytes(numHeads / numKvHeads, headDim),
    );
    const together = tileRows(capacity);
    const pools = [0, ...(capacity.windows ?? [])];
    const expertRows = graph.experts === undefined ? 0 : together;
    this.#fixed = {
      ...forEachBuffer((name) => layout.take(usesBuffer(graph, name) ? maxRows * strides[name] : 0)),
      qkv: layout.take(maxRows * strides.qkv),
      expertGate: layout.take(expertRows * strides.expertGate),
      expertOut: layout.take(expertRows * strides.expertOut),
      logits: layout.take(maxSequences * strides.logits),
      tokenIds: layout.take(maxRows * 4),
      positions: layout.take(maxRows * 4),
      slots: pools.map(() => layout.take(maxRows * 4)),
      sequences: layout.take(maxRows * 4),
      checkpoints: layout.take(maxRows * 4),
      sequenceStates: layout.take(maxSequences * 4),
      logitRows: layout.take(maxSequences * 4),
      blockTables: pools.map(() => layout.take(maxSequences * maxBlocksPerSequence * 4)),
      rope: layout.take(graph.ropes.length * ropeTableBytes(graph, maxRows)),
      meanTurns: layout.take(graph.ropes.length * ropeTableBytes(graph, 1)),
      row: layout.take(rowBytes(graph.vocabSize, rowParts(graph.vocabSize, threads))),
      scratch: Array.from({ length: threads }, () => ({
        gathered: layout.take(Math.max(expertRows, Math.min(together, maxSequences)) * strides.hidden),
        expertRows: layout.take(expertRows * 4),
        normed: layout.take((hasFloats ? together : NORM_ROWS) * strides.hidden),
        quantized: layout.take(together * Math.max(...factors.map(preparedRowBytes))),
        matmul: layout.take(matmulScratchBytes(widest)),
        attention: layout.take(Math.max(0, ...attentionBytes)),
        recurrence: layout.take(recurrenceScratchBytes(graph)),
      })),
    };
  }

  plan(): SegmentPlan {
    return {
      ...this.#fixed,
      bytes: this.layout.bytes,
      tensors: Object.fromEntries(this.tensors),
      caches: Object.fromEntries(this.caches),
      states: Object.fromEntries(this.states),
    };
  }
}

/**
 * Ops in runs that must share a segment: only the residual stream is carried to another. From the op that wrote another buffer
 * to one that reads it all are of one run.
 */
function runsOf(ops: readonly Op[]): Op[][] {
  const starts = new Set(ops.keys());
  const writers = new Map<BufferName, number>();
  for (const [index, op] of ops.entries()) {
    const { reads, writes } = needsOf(op);
    for (const buffer of reads) {
      if (buffer === 'hidden') continue;
      for (let joined = (writers.get(buffer) ?? index) + 1; joined <= index; joined++) starts.delete(joined);
    }
    for (const buffer of writes) writers.set(buffer, index);
  }
  const firsts = [...starts];
  return firsts.map((first, run) => ops.slice(first, firsts[run + 1]));
}

function usesBuffer(graph: ComputeGraph, buffer: BufferName): boolean {
  return graph.ops.some((op) => needsOf(op).writes.includes(buffer));
}

/** Ops that share a segment, and what they read of it. */
interface Run {
  readonly ops: readonly Op[];
  readonly tensors: readonly string[];
  /** The layers whose keys and values they read. */
  readonly caches: readonly number[];
}

function toRun(ops: readonly Op[], storedOf: (name: string) => readonly string[]): Run {
  const caches = statesOf(ops).flatMap((state) => {
    if (state.kind === 'shared') return [state.of];
    return state.kind === 'paged' ? [state.layer] : [];
  });
  return { ops, tensors: ops.flatMap((op) => needsOf(op).tensors.flatMap(storedOf)), caches };
}

/** The runs that must lie in the same segment as `run`, itself among them: they read a tensor or a KV cache of it. */
function runsBeside(run: Run, runs: readonly Run[]): Run[] {
  const [tensors, caches] = [new Set(run.tensors), new Set(run.caches)];
  return runs.filter(
    (other) => other.tensors.some((name) => tensors.has(name)) || other.caches.some((layer) => caches.has(layer)),
  );
}
