/**
 * The CPU: a graph's fused ops in WebAssembly SIMD, shared by a group of threads that meet at barriers. Only `cpu` is for
 * the engine. The other exports are its parts, for devices that share them, for tests and for benches.
 */

import type { DeviceKind } from '../../device.js';
import { wasm } from './kernels/index.js';
import { cpuLayout } from './layout.js';
import { openSegmentDevice, prepareSegments } from './segment-device.js';

export { createDevice, type SegmentDevice } from './device.js';
export type { KernelSetName, PreparedKernels } from './kernel-set.js';
export { kernelSets } from './kernel-sets.js';
export {
  compileKernels,
  computeSelfTest,
  instantiateKernels,
  kernelVariants,
  loadVariant,
  setKernelFlags,
  type KernelVariant,
} from './kernels/index.js';
export { createRow, type Row } from './logits/row.js';
export { planMemory, type Capacity, type MemoryPlan } from './memory/memory-plan.js';
export { reclaim } from './memory/reclaim.js';
export { allocateSegments, openSegments, tensorView } from './memory/segments.js';
export { createReferenceKernels } from './reference/index.js';
export { isSegmentInit } from './segment-device.js';
export { createSegmentMemory } from './segment-memory.js';
export type { ThreadGroupInit } from './threads/compute-thread.js';
export { Control, createControlMemory } from './threads/control.js';

/** The WebAssembly kernels on threads of this process. */
export const cpu: DeviceKind = {
  name: 'cpu',
  usesThreads: true,
  layout: cpuLayout,
  prepare: (options) => prepareSegments('cpu', wasm, options),
  open: openSegmentDevice,
};
