import { assert } from '../../../../base/index.js';
import type { KernelSet } from '../kernel-set.js';
import { compileKernels, type CompiledKernels } from './compile.js';
import { instantiateKernels } from './instantiate.js';

export { compileKernels, loadVariant } from './compile.js';
export { setKernelFlags } from './compile-mode.js';
export { instantiateKernels } from './instantiate.js';
export { kernelVariants, type KernelVariant } from './modules.js';
export { computeSelfTest } from './self-test.js';

/**
 * What this process has chosen, by `isPortable`. The machine stays the same, so the next model needs no trials; and V8
 * keeps the optimized code of modules that are kept.
 */
const chosen = new Map<boolean, Promise<CompiledKernels>>();

/** The kernels of kernels-as/ in WebAssembly SIMD. */
export const wasm: KernelSet = {
  async prepare(options) {
    const { isPortable } = options;
    let kernels = chosen.get(isPortable);
    if (kernels === undefined) {
      kernels = compileKernels(options);
      chosen.set(isPortable, kernels);
      kernels.catch(() => chosen.delete(isPortable));
    }
    return { set: 'wasm', ...(await kernels) };
  },
  createKernels(prepared, memory) {
    assert(prepared.set === 'wasm', 'kernels are made from what was prepared for them');
    return instantiateKernels(prepared.module, memory);
  },
};
