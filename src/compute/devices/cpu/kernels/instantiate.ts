import { assert } from '../../../../base/index.js';
import type { Kernels, OpName } from '../ops.js';

/** Every operation, so that a module that lacks one is refused; typed by `Kernels`, so that none is forgotten. */
const opNames: Readonly<Record<OpName, true>> = {
  embedF32: true,
  embedBf16: true,
  embedF16: true,
  embedQ8: true,
  embedQ4: true,
  embedQ4m: true,
  rmsNorm: true,
  quantizeRows: true,
  gatherRows: true,
  matmulF32: true,
  matmulBf16: true,
  matmulF16: true,
  matmulQ8: true,
  matmulQ4: true,
  matmulQ4m: true,
  normRope: true,
  storeKvF32: true,
  storeKvQ8: true,
  attentionF32: true,
  attentionQ8: true,
};

/** What a kernel module exports. */
interface KernelExports extends Kernels {
  /** Fills the constants area: the first page of the memory. */
  readonly prepare: () => void;
}

function isKernelExports(exports: object): exports is KernelExports {
  const functions = new Map(Object.entries(exports));
  return ['prepare', ...Object.keys(opNames)].every((name) => typeof functions.get(name) === 'function');
}

/**
 * The kernels over `memory`, whose first page they fill with constants: the same bytes from every thread, so it may
 * be called at any time. Synchronous; `memory` is shared and has at most 65,536 pages.
 */
export function instantiateKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernels {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  assert(isKernelExports(exports), 'a kernel module exports every operation');
  exports.prepare();
  return exports;
}
