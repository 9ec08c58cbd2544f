// The registry of devices. CUDA and WebGPU come later, each as a file here.

import { AppError } from '../../base/index.js';
import type { Backend, BackendName } from './backend.js';
import { reference } from './cpu/reference/index.js';
import { wasm } from './cpu/kernels/index.js';

export type { Backend, BackendName, KernelChoice, PreparedKernels, RejectedVariants } from './backend.js';
export { createReferenceKernels } from './cpu/reference/index.js';
export {
  compileKernels,
  instantiateKernels,
  kernelVariants,
  loadVariant,
  setKernelFlags,
  type CompiledKernels,
  type KernelVariant,
} from './cpu/kernels/index.js';

/** Every backend, by name. */
export const backends = { reference, wasm } as const satisfies Record<BackendName, Backend>;

/** What a user may ask for: `auto` and `cpu` are the WebAssembly kernels. */
export type BackendChoice = 'auto' | 'cpu' | 'reference' | 'cuda' | `cuda:${number}` | 'metal' | 'metal-fp16';

/** The backend that serves `choice`. Errors: `backend_unavailable`. */
export function selectBackend(choice: BackendChoice): Backend {
  if (choice === 'auto' || choice === 'cpu') return backends.wasm;
  if (choice === 'reference') return backends.reference;
  throw new AppError(
    'backend_unavailable',
    `backend ${JSON.stringify(choice)} does not exist yet in this build; use cpu (or leave the backend out)`,
    { backend: choice },
  );
}
