import type { KernelSet, KernelSetName } from './kernel-set.js';
import { wasm } from './kernels/index.js';
import { reference } from './reference/index.js';

/** Every set of kernels, by name. */
export const kernelSets = { wasm, reference } as const satisfies Record<KernelSetName, KernelSet>;
