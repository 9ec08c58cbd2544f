import { present } from '../../../../base/index.js';
import type { PreparedKernels } from '../kernel-set.js';
import { kernelSets } from '../kernel-sets.js';
import type { Segment } from '../threads/thread-view.js';
import type { MemoryPlan } from './memory-plan.js';
import { createSharedMemory, PAGE_BYTES } from './wasm-memory.js';

/** Bytes that `allocateSegments` takes for `plan`: its segments in whole pages. */
export function segmentBytesTotal(plan: MemoryPlan): number {
  return plan.segments.reduce((total, { bytes }) => total + Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES, 0);
}

/** Shared memories for the segments of `plan`, all zero. The system gives pages when they are first touched. Errors: `out_of_memory`. */
export function allocateSegments(plan: MemoryPlan): WebAssembly.Memory[] {
  return plan.segments.map(({ bytes }) => createSharedMemory(Math.ceil(bytes / PAGE_BYTES), 'a memory segment'));
}

/** The segments as this thread sees them: kernels bound to each memory. */
export function openSegments(prepared: PreparedKernels, memories: readonly WebAssembly.Memory[]): Segment[] {
  const { createKernels } = kernelSets[prepared.set];
  return memories.map((memory) => ({
    source: memory,
    memory: memory.buffer,
    kernels: createKernels(prepared, memory),
    rowModule: prepared.rowModule,
  }));
}

/** The bytes of tensor `name` in its segment: where a loader writes. */
export function tensorView(
  plan: MemoryPlan,
  memories: readonly WebAssembly.Memory[],
  name: string,
  sizeBytes: number,
): Uint8Array {
  const segment = plan.segments.findIndex(({ tensors }) => name in tensors);
  const at = present(plan.segments[segment]?.tensors[name], `tensor ${name} is planned`);
  return new Uint8Array(present(memories[segment], 'each planned segment is allocated').buffer, at, sizeBytes);
}
