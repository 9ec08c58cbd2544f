import { assert } from '../../../../base/index.js';
import type { KernelSet } from '../kernel-set.js';
import { compileKernels } from './compile.js';
import { instantiateKernels } from './instantiate.js';

export { compileKernels, loadVariant } from './compile.js';
export { setKernelFlags } from './compile-mode.js';
export { instantiateKernels } from './instantiate.js';
export { kernelVariants, type KernelVariant } from './modules.js';
export { computeSelfTest } from './self-test.js';

/** The kernels of kernels-as/ in WebAssembly SIMD. */
export const wasm: KernelSet = {
  async prepare(options) {
    return { set: 'wasm', ...(await compileKernels(options)) };
  },
  createKernels(prepared, memory) {
    assert(prepared.set === 'wasm', 'kernels are made from what was prepared for them');
    return instantiateKernels(prepared.module, memory);
  },
};
