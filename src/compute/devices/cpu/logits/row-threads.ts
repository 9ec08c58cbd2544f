/**
 * Runs the sampler's kernels on one thread alone, or on those that have just computed the logits. The coordinator names
 * a kernel and its arguments in shared words, does the first part itself, and meets the others at their barrier.
 */

import { present } from '../../../../base/index.js';
import type { Control } from '../threads/control.js';
import { SHARED_ARGUMENTS, sharedRowKernels, type RowKernels, type SharedRowKernels } from './row-kernels.js';
import { ROW_BLOCK_TOKENS } from './row-layout.js';

/** Memory of a row, for running kernels over it. */
export interface RowMemory {
  readonly kernels: RowKernels;
  /** Address in the kernels' memory. */
  readonly at: number;
  /** Tokens, whole blocks. */
  readonly size: number;
}

/** Runs shared kernels. */
export interface RowThreads {
  /** The next kernel's arguments. f64 [SHARED_ARGUMENTS] */
  readonly args: Float64Array;
  /** Runs one over all blocks; returns in how many parts. */
  run(kernel: keyof SharedRowKernels): number;
  /** The result of part `part` of the last run. */
  result(part: number): number;
}

/** The first block of part `part` of `parts`. */
export function firstBlock(size: number, part: number, parts: number): number {
  return Math.floor(((size / ROW_BLOCK_TOKENS) * part) / parts);
}

function runPart(
  { kernels, at, size }: RowMemory,
  kernel: keyof SharedRowKernels,
  args: Float64Array,
  part: number,
  parts: number,
): number {
  const from = firstBlock(size, part, parts);
  const to = firstBlock(size, part + 1, parts);
  const arg = (index: number): number => args[index] as number;
  return kernels[kernel](arg(0), at, size, part, from, to, arg(1), arg(2), arg(3)) ?? 0;
}

/** One thread, which does `parts` one after the other: more than one only to hold the parts to the whole. */
export function createLoneRowThread(place: RowMemory, parts = 1): RowThreads {
  const args = new Float64Array(SHARED_ARGUMENTS);
  const results = new Float64Array(parts);
  return {
    args,
    run(kernel) {
      for (let part = 0; part < parts; part++) results[part] = runPart(place, kernel, args, part, parts);
      return parts;
    },
    result: (part) => results[part] as number,
  };
}

/** The threads at `control`; `parts` returns how many to use now; this one is the first. */
export function createRowThreads(place: RowMemory, control: Control, parts: () => number): RowThreads {
  const { args, results } = control;
  return {
    args,
    run(kernel) {
      const threads = parts();
      if (threads > 1) control.startKernel(sharedRowKernels.indexOf(kernel), threads);
      results[0] = runPart(place, kernel, args, 0, threads);
      if (threads > 1) control.barrier();
      return threads;
    },
    result: (part) => results[part] as number,
  };
}

/** The share of thread `thread` in the kernels that the coordinator starts. */
export function createRowWorker(
  place: RowMemory,
  control: Control,
  thread: number,
): (kernel: number, threads: number) => void {
  const { args, results } = control;
  return (kernel, threads) => {
    const name = present(sharedRowKernels[kernel], 'the coordinator names a kernel');
    results[thread] = runPart(place, name, args, thread, threads);
    control.barrier();
  };
}
