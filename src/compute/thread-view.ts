/**
 * One thread's view of a planned program: its banks, its scratch, its share of the work, and the two steps that
 * every matrix product has: prepare rows, multiply.
 */

import { present } from '../base/index.js';
import { paddedColumns } from '../weights/index.js';
import type { StepSize } from './control.js';
import { isFloat, matmulKernel } from './kernel-choice.js';
import type { BankPlan, MemoryPlan, PlannedTensor, ThreadScratch } from './memory-plan.js';
import { EPILOGUE, quantizedRowBytes, type Kernels } from './ops.js';
import type { Norm, Program } from './program.js';

/** One memory bank as a thread sees it. */
export interface Bank {
  readonly source: WebAssembly.Memory;
  /** Its buffer. */
  readonly memory: ArrayBufferLike;
  readonly kernels: Kernels;
}

/** An op with everything but the step's size bound to it. */
export type Pass = (step: StepSize) => void;

/** Rows [start, start + count) in the form that a weight multiplies, in this thread's scratch; returns their address. */
export type Prepare = (start: number, count: number) => number;

/** weight · prepared rows, for a range of groups of 8 outputs. */
export type Multiply = (
  out: number,
  outStride: number,
  input: number,
  rows: number,
  groupStart: number,
  groupEnd: number,
) => void;

/** The part [start, end) of some units of work. */
export interface Share {
  readonly start: number;
  readonly end: number;
}

/** Thread `thread` of `threads`; `barrier` joins them. */
export class ThreadView {
  readonly program: Program;
  readonly plan: MemoryPlan;
  readonly threads: number;
  readonly barrier: () => void;
  readonly #banks: readonly Bank[];
  readonly #thread: number;

  constructor(
    program: Program,
    plan: MemoryPlan,
    banks: readonly Bank[],
    place: { readonly thread: number; readonly threads: number; readonly barrier: () => void },
  ) {
    this.program = program;
    this.plan = plan;
    this.threads = place.threads;
    this.barrier = place.barrier;
    this.#banks = banks;
    this.#thread = place.thread;
  }

  /** This thread's contiguous part of `units`; parts differ by one at most. */
  share(units: number): Share {
    return {
      start: Math.floor((units * this.#thread) / this.threads),
      end: Math.floor((units * (this.#thread + 1)) / this.threads),
    };
  }

  bank(index: number): Bank & { readonly at: BankPlan; readonly scratch: ThreadScratch } {
    const at = present(this.plan.banks[index], 'the plan has this bank');
    const bank = present(this.#banks[index], 'each planned bank is open');
    return { ...bank, at, scratch: present(at.scratch[this.#thread], 'the plan has scratch for each thread') };
  }

  tensor(name: string): PlannedTensor {
    return present(this.plan.tensors[name], `tensor ${name} is planned`);
  }

  /** The address of tensor `name` in `bank`; 0 for no name, which kernels read as 'none'. */
  address(bank: number, name: string | undefined): number {
    if (name === undefined) return 0;
    return present(this.plan.banks[bank]?.tensors[name], `tensor ${name} lies in bank ${bank}`);
  }

  /**
   * How f32 rows at `input` become the factor of `weight`: normed, then quantised unless the weight is float. Every
   * thread prepares all rows for itself, because repeating that costs less than a barrier (engine.md, 'Compute team').
   */
  prepare(bank: number, input: number, stride: number, norm: Norm | undefined, weight: string): Prepare {
    const { kernels, scratch } = this.bank(bank);
    const { quant, columns } = this.tensor(weight);
    const padded = paddedColumns(columns);
    const rowBytes = quantizedRowBytes(padded);
    const eps = this.program.rmsNormEps;
    const normAddress = this.address(bank, norm?.weight);
    return (start, count) => {
      let rows = input + start * stride;
      if (normAddress !== 0) {
        kernels.rmsNorm(scratch.normed, stride, rows, stride, normAddress, columns, 0, count, eps);
        rows = scratch.normed;
      }
      if (isFloat(quant)) return rows;
      kernels.quantizeRows(scratch.quantized, rowBytes, rows, stride, padded, 0, count);
      return scratch.quantized;
    };
  }

  /** The product with `weight` of prepared rows; float weights read f32 rows, `stride` bytes apart. */
  multiply(
    bank: number,
    weight: string,
    bias: string | undefined,
    epilogue: keyof typeof EPILOGUE,
    stride: number,
  ): Multiply {
    const { quant, columns } = this.tensor(weight);
    const padded = paddedColumns(columns);
    const { kernels, scratch } = this.bank(bank);
    const matmul = matmulKernel(kernels, quant);
    const inputStride = isFloat(quant) ? stride : quantizedRowBytes(padded);
    const address = this.address(bank, weight);
    const biasAddress = this.address(bank, bias);
    const mode = EPILOGUE[epilogue];
    return (out, outStride, input, rows, groupStart, groupEnd) => {
      matmul(
        out,
        outStride,
        input,
        inputStride,
        address,
        padded,
        rows,
        groupStart,
        groupEnd,
        biasAddress,
        mode,
        scratch.matmul,
      );
    };
  }
}
