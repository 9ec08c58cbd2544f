import { present } from '../../../base/index.js';
import type { ChildSpec } from '../../../actor/index.js';
import type { ComputeGraph } from '../../compute-graph.js';
import type { ChildOptions, DeviceChildren, DeviceInit, DeviceMemory } from '../../device.js';
import type { PreparedKernels } from './kernel-set.js';
import type { MemoryPlan } from './memory/memory-plan.js';
import { reclaim } from './memory/reclaim.js';
import { computeThreadModule, type ThreadGroupInit } from './threads/compute-thread.js';
import { Control, createControlMemory } from './threads/control.js';

/** Argument for opening a thread group's first thread, the engine's. */
export interface SegmentInit extends DeviceInit, ThreadGroupInit {}

/** A model in segments, ready to compute. */
export interface SegmentModel {
  /** The name of the device that opens it. */
  readonly device: string;
  readonly graph: ComputeGraph;
  readonly plan: MemoryPlan;
  readonly kernels: PreparedKernels;
  /** Filled; empty once released. */
  readonly memories: WebAssembly.Memory[];
  /** Of the thread group, the engine's own included. */
  readonly threads: number;
}

/** The memory of `model` as the engine's tree sees it. */
export function createSegmentMemory(model: SegmentModel): DeviceMemory {
  return {
    capacity: model.plan.capacity,
    children: (common) => createThreadGroup(model, common),
    release: async () => void (await reclaim(model.memories)),
  };
}

/** Threads 1 and up of a group that meets in a control block; the engine's thread is the first. */
function createThreadGroup(model: SegmentModel, { prefix = '', ...common }: ChildOptions): DeviceChildren {
  const { threads } = model;
  // A crash can leave the words of a barrier half done: each start has new ones.
  let control: SharedArrayBuffer | undefined;
  const init = (): SegmentInit => ({ ...model, control: present(control, 'renewed before each start') });
  const interrupt = (): void => {
    if (control !== undefined) new Control(control).stop();
  };
  return {
    renew() {
      control = createControlMemory(threads);
    },
    specs: Array.from({ length: threads - 1 }, (_, index): ChildSpec => {
      return {
        ...common,
        id: `${prefix}compute-${index + 1}`,
        actor: { module: computeThreadModule(), name: 'ComputeThread' },
        init: () => ({ ...init(), thread: index + 1 }),
        placement: 'thread',
        // Each takes some 50 ms to load its code; on many cores they would be most of a model's load, one by one.
        startsBeside: index > 0,
        interrupt,
      };
    }),
    init,
    interrupt,
  };
}
