import { readFileSync } from 'node:fs';
import { AppError, locate, present } from '../../base/index.js';
import { quants, type QuantName } from '../quants/index.js';

/**
 * `Repacker.repackGroup` in WASM over one memory: eight rows of `columns`, a multiple of their block's, at the address
 * `rows` and `stride` bytes apart, become one packed group at `out`. Errors: `weight_not_finite`.
 */
export type RepackGroup = (rows: number, stride: number, columns: number, out: number) => void;

/** The kernels over one memory, by the quant that blocks become. Errors: none; a quant without one is a programming error. */
export interface RepackKernels {
  of(quant: QuantName): RepackGroup;
}

/** A kernel of kernels-as/repack: gives 0, or 1 where a scale or minimum is not finite. */
type Kernel = (rows: number, stride: number, columns: number, out: number) => number;

/** The kernels, compiled as the host compiles its own modules: threads may share them. */
export function compileRepackKernels(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(locate('dist/kernels/repack.wasm')));
}

/** Kernels over a shared `memory`. */
export function createRepackKernels(memory: WebAssembly.Memory, module: WebAssembly.Module): RepackKernels {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return {
    of(quant) {
      const name = `repack${quants[quant].kernel}`;
      const kernel = present(exports[name], `the module repack exports ${name}`) as Kernel;
      return (rows, stride, columns, out) => {
        if (kernel(rows, stride, columns, out) === 0) return;
        throw new AppError('weight_not_finite', 'a block has a scale or minimum that is NaN or infinite', {});
      };
    },
  };
}
