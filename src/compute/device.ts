/**
 * The interface of a device: all that the engine and its supervision tree know of the computing side. A device is used
 * in this order, and `devices/dummy` shows the whole of it with nothing else:
 *
 *   prepare    once a process: kernels, drivers, detection of the machine
 *   plan       once a model, before a weight is read: the bytes that it takes
 *   load       its memory, filled with the weights; it outlives every thread that computes on it
 *   children   once a supervision tree: threads of the device's own, and the state renewed after a crash
 *   open       in the engine's thread, at each start of it: a `Device`, which runs batches
 *
 * Data that crosses threads (`DeviceInit`, the `init` of child specs) is plain data, shared memory and modules.
 */

import type { ChildSpec } from '../actor/index.js';
import type { QuantName } from '../weights/index.js';
import type { Batch, DeviceCapacity } from './batch.js';
import type { ComputeGraph } from './compute-graph.js';
import type { KvFormat } from './kv-block.js';
import type { PlannedTensor, WeightLayout } from './layout.js';
import type { LogitsRow, SampleRule } from './logits-row.js';

/** Options of `prepare`. `cacheDirectory` returns where findings about this machine may be kept, and may reject. */
export interface PrepareOptions {
  /** Whether a step must give the same bits on every machine. Otherwise the device takes the fastest of what is correct. */
  readonly isPortable: boolean;
  readonly cacheDirectory?: (() => Promise<string>) | undefined;
}

/** A kind of device: a folder of `devices` exports it under its own name. */
export interface DeviceKind {
  readonly name: string;
  /** Whether steps may be shared by threads of this process, so that their number means something. */
  readonly usesThreads: boolean;
  /** How it stores weights: artifacts may be packed for it without it. */
  readonly layout: WeightLayout;
  /** Once a process, before any thread starts. Errors: `kernel_unavailable`, `backend_unavailable`. */
  prepare(options: PrepareOptions): Promise<PreparedDevice>;
  /**
   * The device in the engine's own thread, over the state that `children` made for it. Synchronous. `beat` is called
   * after each op of a step, or as often as a watchdog needs a sign of life.
   */
  open(init: DeviceInit, beat: () => void): Device;
}

/** A device that is ready for models. */
export interface PreparedDevice {
  readonly name: string;
  /** Which of its kernels it took, for reports. */
  readonly variant: string;
  /** Causes of slower operation on this machine; a sentence each. */
  readonly notes: readonly string[];
  /** Plans a model's memory. Errors: `out_of_memory` where it never fits. */
  plan(request: PlanRequest): DevicePlan;
}

/** A model, and how it is to be run. */
export interface PlanRequest {
  readonly graph: ComputeGraph;
  /** The stored tensors that hold every tensor of the graph, in the device's layout. */
  readonly tensors: readonly PlannedTensor[];
  /** The artifact's quant of its matrices. */
  readonly quant: QuantName;
  /** Tokens of the longest sequence. */
  readonly contextLength: number;
  /**
   * A plan may allow less, down to this, where the KV cache would take more than its share, or the model more than
   * `maxBytes`. Absent: all of `contextLength`.
   */
  readonly leastContext?: number | undefined;
  /** Sequences in one step. */
  readonly maxSequences: number;
  /** Threads that compute, the engine's own included. */
  readonly threads: number;
  /** Format of the KV cache. Absent: the one that suits the weights. */
  readonly kvFormat?: KvFormat | undefined;
  /** A model that would take more gets a smaller KV cache, of one whole context at least; it may take more even so. */
  readonly maxBytes?: number | undefined;
}

/** A model planned on a device. */
export interface DevicePlan {
  readonly capacity: DeviceCapacity;
  /** Tokens of one sequence: the requested number, or less where the request allows it and memory is short. */
  readonly contextLength: number;
  /** Of the KV cache, over all layers. */
  readonly kvBytesPerToken: number;
  /** Weights, KV cache and activations. Memory of threads and the engine is not counted. */
  readonly bytes: number;
  /** Allocates, and fills with the data of `read`. Errors: `out_of_memory`, those of `read`; then no memory is held. */
  load(read: ReadTensors): Promise<DeviceMemory>;
}

/** Fills the targets, by tensor name, each of the layout's bytes; in shared memory several threads do it. Called once, with every tensor. */
export type ReadTensors = (targets: ReadonlyMap<string, Uint8Array>) => Promise<void>;

/** A model in a device's memory, held on the supervisor's side. */
export interface DeviceMemory {
  readonly capacity: DeviceCapacity;
  /** The parts for one supervision tree; a tree at a time. */
  children(common: ChildOptions): DeviceChildren;
  /** Settles when the memory is given back; nothing may compute on it any more. */
  release(): Promise<void>;
}

/** The fields that the specs of a device's children share with the engine's, since they live and die together. */
export interface ChildOptions extends Pick<ChildSpec, 'restart' | 'shutdownMs'> {
  /** Begins the ids of the children, where a tree has several devices. Default: nothing. */
  readonly prefix?: string | undefined;
}

/** A device's part of one supervision tree. The engine and these children are started and stopped together. */
export interface DeviceChildren {
  /** Renews the state that a crash leaves incomplete. Before every start of the children and the engine. */
  renew(): void;
  /** Threads of the device's own, started in this order before the engine; none where it has none. */
  readonly specs: readonly ChildSpec[];
  /** The argument of `open` in the engine's thread. After `renew`. */
  init(): DeviceInit;
  /** From any thread: ends a step that runs, in all threads of it. After `renew`. */
  interrupt(): void;
}

/** The argument of opening a device: the name of its kind, and that kind's own fields. Survives structured cloning. */
export interface DeviceInit {
  readonly device: string;
}

/** Runs batches, in the engine's thread, which it may block for a step. Everything that it hands out is its own. */
export interface Device {
  readonly capacity: DeviceCapacity;
  /** Threads of this process that a step keeps busy, the engine's own included. */
  readonly hostThreads: number;
  /**
   * Measures the best settings of this machine, before the first batch; overwrites the first block of the KV cache.
   * Absent: nothing to measure.
   */
  calibrate?(): void;
  /** Runs a step. Errors: `compute_stopped` when it was interrupted. */
  run(batch: Batch): void;
  /** Copies the keys and values of one block over another, in every layer of a pool: 0 or absent the first, then `windows`. */
  copyBlock(from: number, to: number, pool?: number): void;
  /** Copies a sequence's states of fixed size from slot to slot; `from` undefined: those before the first token. */
  copyState(from: number | undefined, to: number): void;
  /** Logits of the i-th logit row of the last batch, f32 [vocabSize]; valid until the next run. */
  logits(index: number): Float32Array;
  /** Hidden state of row `row` of the last batch after the final norm, f32 [hiddenSize]; valid until the next call or run. */
  hidden(row: number): Float32Array;
  /**
   * A token from the i-th logit row of the last batch. Where the logits are in this process's memory, that is
   * `rule.choose(logits(index))`. A device whose logits lie elsewhere may follow a greedy rule there, without a copy.
   */
  sample(index: number, rule: SampleRule): number;
  /** A row of this process's memory for sampling. */
  readonly row: LogitsRow;
}
