import { assert } from '../../../base/index.js';
import type { Backend } from '../backend.js';
import { compileKernels } from './compile.js';
import { instantiateKernels } from './instantiate.js';

export { compileKernels, type CompiledKernels, type KernelVariant, kernelVariants, loadVariant } from './compile.js';
export { kernelFlags, setKernelFlags } from './flags.js';
export { instantiateKernels } from './instantiate.js';

/** The kernels of kernels-as/ in WebAssembly SIMD. */
export const wasm: Backend = {
  name: 'wasm',
  async prepare(options) {
    return { backend: 'wasm', ...(await compileKernels(options)) };
  },
  createKernels(prepared, memory) {
    assert(prepared.backend === 'wasm', 'the wasm backend gets what it prepared');
    return instantiateKernels(prepared.module, memory);
  },
};
