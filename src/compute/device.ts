/**
 * What a device is: all that the engine and its supervision tree know of what computes a model. A device is used in this
 * order, and `devices/dummy` shows the whole of it with nothing else:
 *
 *   prepare    once a process: kernels, drivers, a look at the machine
 *   plan       once a model, before a weight is read: the bytes that it takes
 *   load       its memory, filled with the weights; it outlives every thread that computes on it
 *   children   once a supervision tree: threads of the device's own, and what is made anew after a crash
 *   open       in the engine's thread, at each start of it: a `Device`, which runs batches
 *
 * What passes from one thread to another (`DeviceInit`, the `init` of child specs) is plain data, shared memory and modules.
 */

import type { ChildSpec } from '../actor/index.js';
import type { QuantName } from '../weights/index.js';
import type { Batch, DeviceCapacity } from './batch.js';
import type { ComputeGraph } from './compute-graph.js';
import type { KvFormat } from './kv-block.js';
import type { LogitsRow } from './logits-row.js';
import type { PlannedTensor } from './tensors.js';

/** auto: the fastest correct kernels; portable: those that give the same bits on every machine. */
export type KernelChoice = 'auto' | 'portable';

/** What a device is asked for; `cacheDirectory` tells where it may keep what it found out about this machine, and may reject. */
export interface PrepareOptions {
  readonly kernel: KernelChoice;
  readonly cacheDirectory?: (() => Promise<string>) | undefined;
}

/** A kind of device: what a folder of `devices` exports under its own name. */
export interface DeviceKind {
  readonly name: string;
  /** Whether steps may be shared by threads of this process, so that their number means something. */
  readonly usesThreads: boolean;
  /** Once a process, before any thread starts. Errors: `kernel_unavailable`, `backend_unavailable`. */
  prepare(options: PrepareOptions): Promise<PreparedDevice>;
  /**
   * The device in the engine's own thread, over what `children` made for it. Synchronous. `beat` is called after each op of a
   * step, or as often as a watchdog shall hear that the step goes on.
   */
  open(init: DeviceInit, beat: () => void): Device;
}

/** A device that is ready for models. */
export interface PreparedDevice {
  readonly name: string;
  /** Which of its kernels it took, for reports. */
  readonly variant: string;
  /** What is slower here than it could be, and why; a sentence each. */
  readonly notes: readonly string[];
  /** Where a model would lie. Errors: `out_of_memory` where it never fits. */
  plan(request: PlanRequest): DevicePlan;
}

/** A model, and how it is to be run. */
export interface PlanRequest {
  readonly graph: ComputeGraph;
  /** Every tensor that the graph names. */
  readonly tensors: readonly PlannedTensor[];
  /** As what the artifact stores its matrices. */
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
  /** How the KV cache is stored. Absent: what fits the weights. */
  readonly kvFormat?: KvFormat | undefined;
  /** A model that would take more gets a smaller KV cache, of one whole context at least; it may take more even so. */
  readonly maxBytes?: number | undefined;
}

/** A model planned on a device. */
export interface DevicePlan {
  readonly capacity: DeviceCapacity;
  /** Tokens of one sequence: what was asked for, or less where that may be and does not fit. */
  readonly contextLength: number;
  /** Of the KV cache, over all layers. */
  readonly kvBytesPerToken: number;
  /** Weights, KV cache and activations. What threads and the engine take beside is not counted. */
  readonly bytes: number;
  /** Allocates, and fills with what `read` gives. Errors: `out_of_memory`, those of `read`; then nothing is held. */
  load(read: ReadTensors): Promise<DeviceMemory>;
}

/** Fills the targets, by tensor name, each of `tensorBytes`; in shared memory several threads do it. Called once, with every tensor. */
export type ReadTensors = (targets: ReadonlyMap<string, Uint8Array>) => Promise<void>;

/** A model in a device's memory, held on the supervisor's side. */
export interface DeviceMemory {
  readonly capacity: DeviceCapacity;
  /** What one supervision tree needs; a tree at a time. */
  children(common: ChildOptions): DeviceChildren;
  /** Settles when the memory is given back; nothing may compute on it any more. */
  release(): Promise<void>;
}

/** What the specs of a device's children have in common with the engine's, with which they live and die. */
export type ChildOptions = Pick<ChildSpec, 'restart' | 'shutdownMs'>;

/** A device's part of one supervision tree. The engine and these children are started and stopped together. */
export interface DeviceChildren {
  /** Makes anew what a crash leaves half done. Before every start of the children and the engine. */
  renew(): void;
  /** Threads of the device's own, started in this order before the engine; none where it has none. */
  readonly specs: readonly ChildSpec[];
  /** What `open` is given in the engine's thread. After `renew`. */
  init(): DeviceInit;
  /** From any thread: ends a step that runs, in all threads of it. After `renew`. */
  interrupt(): void;
}

/** What a device is opened with: the name of its kind, and whatever else that kind put there. Survives structured cloning. */
export interface DeviceInit {
  readonly device: string;
}

/** Runs batches, in the engine's thread, which it may block for a step. Everything that it hands out is its own. */
export interface Device {
  readonly capacity: DeviceCapacity;
  /** Whether its steps compute on every core of this process: whoever reads what comes of them has none left. */
  readonly takesAllCores: boolean;
  /**
   * Measures what is best on this machine, before the first batch; overwrites the first block of the KV cache.
   * Absent: there is nothing to measure.
   */
  calibrate?(): void;
  /** Runs a step. Errors: `compute_stopped` when it was interrupted. */
  run(batch: Batch): void;
  /** Copies the keys and values of one block over another, in every layer. */
  copyBlock(from: number, to: number): void;
  /** Logits of the i-th logit row of the last batch, f32 [vocabSize]; valid until the next run. */
  logits(index: number): Float32Array;
  /** Hidden state of row `row` of the last batch after the final norm, f32 [hiddenSize]; valid until the next call or run. */
  hidden(row: number): Float32Array;
  /** Where a row of logits is sampled from. */
  readonly row: LogitsRow;
}
