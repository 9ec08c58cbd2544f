import { present } from '../base/index.js';
import { backends, type PreparedKernels } from './backends/index.js';
import type { Bank } from './thread-view.js';
import type { MemoryPlan } from './memory-plan.js';
import { createSharedMemory, PAGE_BYTES } from './wasm-memory.js';

/** Bytes that `allocateBanks` takes for `plan`: its banks in whole pages. */
export function bankBytesTotal(plan: MemoryPlan): number {
  return plan.banks.reduce((total, { bytes }) => total + Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES, 0);
}

/** Shared memories for the banks of `plan`, all zero. The system gives pages when they are first touched. Errors: `out_of_memory`. */
export function allocateBanks(plan: MemoryPlan): WebAssembly.Memory[] {
  return plan.banks.map(({ bytes }) => createSharedMemory(Math.ceil(bytes / PAGE_BYTES), 'a memory bank'));
}

/** The banks as this thread sees them: kernels bound to each memory. */
export function openBanks(prepared: PreparedKernels, memories: readonly WebAssembly.Memory[]): Bank[] {
  const { createKernels } = backends[prepared.backend];
  return memories.map((memory) => ({
    source: memory,
    memory: memory.buffer,
    kernels: createKernels(prepared, memory),
    rowModule: prepared.rowModule,
  }));
}

/** The bytes of tensor `name` in its bank: where a loader writes. */
export function tensorView(
  plan: MemoryPlan,
  memories: readonly WebAssembly.Memory[],
  name: string,
  sizeBytes: number,
): Uint8Array {
  const bank = plan.banks.findIndex(({ tensors }) => name in tensors);
  const at = present(plan.banks[bank]?.tensors[name], `tensor ${name} is planned`);
  return new Uint8Array(present(memories[bank], 'each planned bank is allocated').buffer, at, sizeBytes);
}
