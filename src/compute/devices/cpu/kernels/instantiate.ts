import { assert } from '../../../../base/index.js';
import { quantNames } from '../../../../weights/index.js';
import { embedName, matmulName } from '../kernel-choice.js';
import type { Kernels, MatrixKernels, KernelName } from '../kernel-interface.js';

/** The operations that read no weights; typed by `Kernels`, so that none is forgotten. */
const plainOps: Readonly<Record<Exclude<KernelName, keyof MatrixKernels>, true>> = {
  rmsNorm: true,
  addNorm: true,
  softCap: true,
  quantizeRows: true,
  gatherRows: true,
  normRope: true,
  spreadHeads: true,
  deltaStep: true,
  storeKvF32: true,
  storeKvQ8: true,
  attentionF32: true,
  attentionQ8: true,
};
/** Every operation, so that a module that lacks one is refused. */
const opNames = [...Object.keys(plainOps), ...quantNames.flatMap((quant) => [embedName(quant), matmulName(quant)])];

/** The exports of a kernel module. */
interface KernelExports extends Kernels {
  /** Fills the constants area: the first page of the memory. */
  readonly prepare: () => void;
}

function isKernelExports(exports: object): exports is KernelExports {
  const functions = new Map(Object.entries(exports));
  return ['prepare', ...opNames].every((name) => typeof functions.get(name) === 'function');
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
