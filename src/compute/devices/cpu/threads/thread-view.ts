/**
 * One thread's view of a planned graph: its segments, its scratch, its share of the work, and the two steps that
 * every matrix product has: prepare rows, multiply.
 */

import { assert, present } from '../../../../base/index.js';
import type { WorkChunks } from './work-chunks.js';
import type { StepSize } from './control.js';
import { isFloat, matmulKernel } from '../kernel-choice.js';
import {
  NORM_ROWS,
  panelsOf,
  tileRows,
  type MemoryPlan,
  type SegmentPlan,
  type ThreadScratch,
} from '../memory/memory-plan.js';
import { quantOf } from '../../../../weights/index.js';
import { EPILOGUE, isGate, type Kernels } from '../kernel-interface.js';
import { preparePanels, type PreparedPanel } from '../memory/prepared-rows.js';
import type { ComputeGraph } from '../../../compute-graph.js';
import type { Norm } from '../../../ops/index.js';
import type { PlannedTensor } from '../../../layout.js';

/** One memory segment as a thread sees it. */
export interface Segment {
  readonly source: WebAssembly.Memory;
  /** Its buffer. */
  readonly memory: ArrayBufferLike;
  readonly kernels: Kernels;
  /** The sampler's kernels, not yet bound to a memory. */
  readonly rowModule: WebAssembly.Module;
}

/** An op with everything but the step's size bound to it. */
export type BoundOp = (step: StepSize) => void;

/** Rows [start, start + count) in the form that weights multiply; returns the address of their first panel. */
export type Prepare = (start: number, count: number) => number;

/**
 * weights · prepared rows, for a range of groups of 8 outputs. `firstRow` is the first prepared row that it multiplies. Of a
 * matrix of experts, `before` is the number of groups before those of the expert.
 */
export type Multiply = (
  out: number,
  outStride: number,
  input: number,
  rows: number,
  groupStart: number,
  groupEnd: number,
  firstRow?: number,
  before?: number,
) => void;

/**
 * Values from which on a thread group shares the preparing of rows: one thread takes some 20 µs for so many, and a barrier of busy
 * threads two (bench/log/prefill-decode.md, 'Threads').
 */
const SHARED_VALUES = 65_536;

/** The part [start, end) of some units of work. */
export interface Share {
  readonly start: number;
  readonly end: number;
}

/**
 * A thread's index in its thread group: the `thread`th of `threads`; `barrier` joins them, and one alone has no
 * `workChunks`.
 */
export interface ThreadGroupMember {
  readonly thread: number;
  readonly threads: number;
  readonly barrier: () => void;
  readonly workChunks: WorkChunks | undefined;
}

/** The view of thread `thread` of `threads`. */
export class ThreadView {
  readonly graph: ComputeGraph;
  readonly plan: MemoryPlan;
  readonly threads: number;
  readonly barrier: () => void;
  readonly workChunks: WorkChunks | undefined;
  readonly #segments: readonly Segment[];
  readonly #thread: number;

  constructor(graph: ComputeGraph, plan: MemoryPlan, segments: readonly Segment[], place: ThreadGroupMember) {
    this.graph = graph;
    this.plan = plan;
    this.threads = place.threads;
    this.barrier = place.barrier;
    this.workChunks = place.workChunks;
    this.#segments = segments;
    this.#thread = place.thread;
  }

  /** This thread's contiguous part of `units`; parts differ by one at most. */
  share(units: number): Share {
    return this.#shareOf(this.#thread, units);
  }

  #shareOf(thread: number, units: number): Share {
    return {
      start: Math.floor((units * thread) / this.threads),
      end: Math.floor((units * (thread + 1)) / this.threads),
    };
  }

  segment(index: number): Segment & { readonly at: SegmentPlan; readonly scratch: ThreadScratch } {
    const at = present(this.plan.segments[index], 'the plan has this segment');
    const segment = present(this.#segments[index], 'each planned segment is open');
    return { ...segment, at, scratch: present(at.scratch[this.#thread], 'the plan has scratch for each thread') };
  }

  /** The stored tensors of the matrix `name` of the graph: panels of its columns, one after the other. */
  panels(name: string): readonly PlannedTensor[] {
    return panelsOf(this.plan, name).map((panel) => present(this.plan.tensors[panel], `tensor ${panel} is planned`));
  }

  /** The address in `segment` of the tensor `name` of the graph that is stored as one; 0 for no name, which kernels read as 'none'. */
  address(segment: number, name: string | undefined): number {
    if (name === undefined) return 0;
    const [stored, ...others] = panelsOf(this.plan, name);
    assert(others.length === 0, `tensor ${name} is stored as one`);
    return this.#address(segment, stored ?? name);
  }

  #address(segment: number, name: string): number {
    return present(this.plan.segments[segment]?.tensors[name], `tensor ${name} lies in segment ${segment}`);
  }

  /**
   * How f32 rows at `input` become the factor of the matrix `weight`: normed, then quantised unless the
   * weights are floats. Each thread prepares all rows for itself, because repeating that costs less than a barrier. Of
   * many rows it prepares its share and copies the others'. All threads of the thread group call it together.
   */
  prepare(segment: number, input: number, stride: number, norm: Norm | undefined, weight: string): Prepare {
    const { kernels, scratch } = this.segment(segment);
    const stored = this.panels(weight);
    const panels = this.#prepared(stored, stride);
    const columns = stored.reduce((sum, panel) => sum + panel.columns, 0);
    const values = panels.reduce((sum, panel) => sum + panel.columns, 0);
    const eps = this.graph.rmsNormEps;
    const normAddress = this.address(segment, norm?.weight);
    const normed = (rows: number, count: number): number => {
      if (normAddress === 0) return rows;
      kernels.rmsNorm(scratch.normed, stride, rows, stride, normAddress, columns, 0, count, eps);
      return scratch.normed;
    };
    const isFloats = stored.map(({ quant }) => isFloat(quant));
    assert(new Set(isFloats).size === 1, 'the panels of a matrix are stored alike');
    if (isFloats[0] === true) return (start, count) => normed(input + start * stride, count);
    const quantize = (from: number, start: number, end: number): void => {
      const most = normAddress === 0 ? end - start : NORM_ROWS;
      for (let row = start; row < end; row += most) {
        const count = Math.min(most, end - row);
        const rows = normed(from + row * stride, count);
        for (const panel of panels) {
          const to = scratch.quantized + panel.offset + row * panel.stride;
          kernels.quantizeRows(to, panel.stride, rows + panel.from, stride, panel.columns, 0, count);
        }
      }
    };
    const gather = this.#gatherQuantized(segment, panels);
    return (start, count) => {
      const from = input + start * stride;
      if (this.threads > 1 && count * values >= SHARED_VALUES) {
        // Another thread may still copy rows prepared earlier in the same fused op.
        if (start > 0) this.barrier();
        const mine = this.share(count);
        quantize(from, mine.start, mine.end);
        this.barrier();
        gather(count);
      } else {
        quantize(from, 0, count);
      }
      return scratch.quantized;
    };
  }

  /** The rows that the panels of a matrix multiply. */
  #prepared(panels: readonly PlannedTensor[], stride: number): PreparedPanel[] {
    return preparePanels(panels, tileRows(this.plan.capacity), stride);
  }

  /** Copies the rows that other threads have prepared, `count` in all, each its share, from their scratch to this thread's. */
  #gatherQuantized(segment: number, panels: readonly PreparedPanel[]): (count: number) => void {
    const { memory, at } = this.segment(segment);
    const bytes = new Uint8Array(memory);
    const to = present(at.scratch[this.#thread], 'the plan has scratch for each thread').quantized;
    const others = at.scratch.slice(0, this.threads).map(({ quantized }) => quantized);
    return (count) => {
      for (const [thread, from] of others.entries()) {
        if (thread === this.#thread) continue;
        const { start, end } = this.#shareOf(thread, count);
        for (const { offset, stride } of panels) {
          const first = offset + start * stride;
          bytes.copyWithin(to + first, from + first, from + offset + end * stride);
        }
      }
    };
  }

  /** The product with the matrix `weight` of prepared rows; float weights read f32 rows, `stride` bytes apart. */
  multiply(
    segment: number,
    weight: string,
    bias: string | undefined,
    epilogue: keyof typeof EPILOGUE,
    stride: number,
  ): Multiply {
    const stored = this.panels(weight);
    assert(stored.length === 1 || !isGate(EPILOGUE[epilogue]), 'a gate wants whole sums');
    const { kernels, scratch } = this.segment(segment);
    const products = this.#prepared(stored, stride).map((panel, index) => {
      const { name, quant } = present(stored[index], 'a tensor for each panel');
      const isFirst = index === 0;
      return {
        ...panel,
        matmul: matmulKernel(kernels, quant),
        address: this.#address(segment, name),
        groupBytes: quantOf(quant).groupBytes(panel.columns),
        // The first panel applies the requested epilogue, the others add to its result.
        bias: isFirst ? this.address(segment, bias) : 0,
        mode: isFirst ? EPILOGUE[epilogue] : EPILOGUE.add,
      };
    });
    return (out, outStride, input, rows, groupStart, groupEnd, firstRow = 0, before = 0) => {
      for (const {
        matmul,
        offset,
        stride: inputStride,
        address,
        groupBytes,
        columns,
        bias: biases,
        mode,
      } of products) {
        matmul(
          out,
          outStride,
          input + offset + firstRow * inputStride,
          inputStride,
          address + before * groupBytes,
          columns,
          rows,
          groupStart,
          groupEnd,
          biases,
          mode,
          scratch.matmul,
        );
      }
    };
  }
}
