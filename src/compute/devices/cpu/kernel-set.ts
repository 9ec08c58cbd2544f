import type { PrepareOptions } from '../../device.js';
import type { Kernels } from './kernel-interface.js';

/** The sets of kernels that run a graph in memory segments. */
export type KernelSetName = 'wasm' | 'reference';

/** Variants that were not taken because they failed, with the reason of each. */
export type RejectedVariants = readonly { readonly variant: string; readonly reason: string }[];

/**
 * Kernels prepared once a process: plain data and modules, so that a message may carry them to other threads. `variant`
 * and `notes` are for reports: a note gives a cause of slower operation on this machine. `rowModule`: the sampler's
 * kernels.
 */
export type PreparedKernels = { readonly rowModule: WebAssembly.Module; readonly notes: readonly string[] } & (
  | {
      readonly set: 'wasm';
      readonly variant: string;
      readonly module: WebAssembly.Module;
      readonly rejected: RejectedVariants;
    }
  | { readonly set: 'reference'; readonly variant: 'reference' }
);

/** A way to run the operations of `Kernels` over a memory segment. */
export interface KernelSet {
  /** Once a process, before any thread starts. Errors: `kernel_unavailable`. */
  prepare(options: PrepareOptions): Promise<PreparedKernels>;
  /** Once for each thread and segment; synchronous. The first page of `memory` belongs to the kernels. */
  createKernels(prepared: PreparedKernels, memory: WebAssembly.Memory): Kernels;
}
