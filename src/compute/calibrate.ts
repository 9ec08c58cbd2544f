/**
 * Measures at load how many threads are best for narrow steps, which read memory, and for wide ones, which compute:
 * the beginning of the program is run with each size of the team, in turn. Nothing of it is kept but times.
 */

import { tensorBytes, type MemoryPlan } from './memory-plan.js';
import type { Op, Program } from './program.js';

/** Threads that were fastest. */
export interface BestThreads {
  readonly narrow: number;
  readonly wide: number;
}

/** A step that is only measured: `rows` through the first `passes`. */
export interface Probe {
  readonly rows: number;
  readonly passes: number;
}

/** Narrow probes read more than most caches hold, wide ones compute for some 5 ms on one core. */
const NARROW = { rows: 1, weightBytes: 64 << 20, budgetMs: 40 } as const;
const WIDE = { rows: 32, weightBytes: 4 << 20, budgetMs: 40 } as const;
/** Of sizes that differ by less the smallest is taken: it leaves cores to others. */
const AS_GOOD = 1.05;

/** Rows that probes need in a block of the KV cache. */
export const PROBE_ROWS: number = WIDE.rows;

/**
 * The best of `sizes` (ascending) by `timeOf`, milliseconds of one probe. Takes a tenth of a second, and what the last
 * round takes longer. Undefined where a step is so short that trying sizes in steps costs less than this.
 */
export function calibrate(
  program: Program,
  plan: MemoryPlan,
  sizes: readonly number[],
  timeOf: (probe: Probe, threads: number) => number,
): BestThreads | undefined {
  const narrow = passesOf(program.ops, plan, NARROW.weightBytes);
  const wide = passesOf(program.ops, plan, WIDE.weightBytes);
  const isTiny = narrow === undefined || wide === undefined || plan.capacity.maxRows < WIDE.rows;
  if (sizes.length < 2 || isTiny) return undefined;
  return {
    narrow: fastest(sizes, NARROW.budgetMs, (threads) => timeOf({ rows: NARROW.rows, passes: narrow }, threads)),
    wide: fastest(sizes, WIDE.budgetMs, (threads) => timeOf({ rows: WIDE.rows, passes: wide }, threads)),
  };
}

/**
 * Rounds over all sizes until time is up, the first to warm up unless it is the only one. Means, not the least: a size
 * that is fast only now and then is not.
 */
function fastest(sizes: readonly number[], budgetMs: number, timeOf: (threads: number) => number): number {
  let leftMs = budgetMs;
  let totals: number[] = [];
  for (let round = 0; round === 0 || leftMs > 0; round++) {
    const times = sizes.map(timeOf);
    leftMs -= times.reduce((sum, ms) => sum + ms, 0);
    totals = round < 2 ? times : times.map((ms, index) => ms + (totals[index] ?? 0));
  }
  const least = Math.min(...totals);
  return sizes.find((_, index) => (totals[index] ?? Infinity) <= AS_GOOD * least) ?? 1;
}

/** How many ops from the first on read so many bytes of weights; undefined when all of them read less. */
function passesOf(ops: readonly Op[], { tensors }: MemoryPlan, weightBytes: number): number | undefined {
  let bytes = 0;
  for (const [index, op] of ops.entries()) {
    // Of the embedding a step reads a few rows.
    const tensor = op.op === 'embed' ? undefined : tensors[op.weight];
    if (tensor !== undefined) bytes += tensorBytes(tensor);
    if (bytes >= weightBytes) return index + 1;
  }
  return undefined;
}
