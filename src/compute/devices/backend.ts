import type { Kernels } from './cpu/ops.js';

/** The names in the registry of devices. */
export type BackendName = 'reference' | 'wasm';

/** auto: the fastest correct variant; portable: the one that gives the same bits on every CPU. */
export type KernelChoice = 'auto' | 'portable';

/** Variants that were not taken because they failed, with the reason of each. */
export type RejectedVariants = readonly { readonly variant: string; readonly reason: string }[];

/**
 * Kernels made ready once a process: plain data and modules, so that a message may carry them to other threads.
 * `variant` and `notes` are for reports: a note tells what is slower here than it could be, and why. `rowModule`: the
 * sampler's kernels.
 */
export type PreparedKernels = { readonly rowModule: WebAssembly.Module; readonly notes: readonly string[] } & (
  | {
      readonly backend: 'wasm';
      readonly variant: string;
      readonly module: WebAssembly.Module;
      readonly rejected: RejectedVariants;
    }
  | { readonly backend: 'reference'; readonly variant: 'reference' }
);

/** What a backend is asked for; `cacheDirectory` tells where it may keep what it found out about this machine, and may reject. */
export interface PrepareOptions {
  readonly kernel: KernelChoice;
  readonly cacheDirectory?: (() => Promise<string>) | undefined;
}

/** A way to run the operations of `Kernels`. */
export interface Backend {
  readonly name: BackendName;
  /** Once a process, before any thread starts. Errors: `kernel_unavailable`. */
  prepare(options: PrepareOptions): Promise<PreparedKernels>;
  /** Once for each thread and segment; synchronous. The first page of `memory` belongs to the backend. */
  createKernels(prepared: PreparedKernels, memory: WebAssembly.Memory): Kernels;
}
