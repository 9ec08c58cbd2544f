import { assert } from '../../../../base/index.js';
import type { Backend } from '../../backend.js';
import { compileKernels } from './compile.js';
import { instantiateKernels } from './instantiate.js';

export { compileKernels, loadVariant, type CompiledKernels } from './compile.js';
export { setKernelFlags } from './compile-mode.js';
export { instantiateKernels } from './instantiate.js';
export { kernelVariants, type KernelVariant } from './modules.js';

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
