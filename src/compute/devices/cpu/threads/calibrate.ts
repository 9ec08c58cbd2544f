/**
 * Measures at load how many threads are best for narrow steps, which read memory, and for wide ones, which compute:
 * the beginning of the graph is run with each size of the thread group, in turn. Nothing of it is kept but times.
 */

import { present } from '../../../../base/index.js';
import { cpuLayout } from '../layout.js';
import { panelsOf, type MemoryPlan } from '../memory/memory-plan.js';
import type { ComputeGraph } from '../../../compute-graph.js';
import { needsOf, type Op } from '../../../ops/index.js';

/** Threads that were fastest. */
export interface BestThreads {
  readonly narrow: number;
  readonly wide: number;
}

/** A step that is only measured: `rows` through the first `ops`. */
export interface Probe {
  readonly rows: number;
  readonly ops: number;
}

/** Narrow probes read more than most caches hold, wide ones compute for some 5 ms on one core. */
const NARROW = { rows: 1, weightBytes: 64 << 20 } as const;
const WIDE = { rows: 32, weightBytes: 4 << 20 } as const;
/**
 * Counted rounds go on for this time and up to a minimum number, but not beyond the last. A slow machine does only one
 * or two rounds in that time, and a moment without a core would spoil these.
 */
const BUDGET_MS = { least: 40, most: 300 } as const;
const ROUNDS = 5;
/** Of sizes that differ by less the smallest is taken: it leaves cores to others. */
const AS_GOOD = 1.05;

/** Rows that probes need in a block of the KV cache. */
export const PROBE_ROWS: number = WIDE.rows;

/**
 * The best of `sizes` (ascending) by `timeOf`, milliseconds of one probe. Takes a tenth of a second, on a slow machine
 * up to six, and the excess of the last rounds. Undefined where a step is so short that trying sizes in steps costs
 * less.
 */
export function calibrate(
  graph: ComputeGraph,
  plan: MemoryPlan,
  sizes: readonly number[],
  timeOf: (probe: Probe, threads: number) => number,
): BestThreads | undefined {
  const narrow = opsOf(graph.ops, plan, NARROW.weightBytes);
  const wide = opsOf(graph.ops, plan, WIDE.weightBytes);
  const isTiny = narrow === undefined || wide === undefined || plan.capacity.maxRows < WIDE.rows;
  if (sizes.length < 2 || isTiny) return undefined;
  return {
    narrow: fastest(sizes, (threads) => timeOf({ rows: NARROW.rows, ops: narrow }, threads)),
    wide: fastest(sizes, (threads) => timeOf({ rows: WIDE.rows, ops: wide }, threads)),
  };
}

/**
 * Rounds over all sizes, the first to warm up unless it is the only one. Means, not the least: a size that is fast only now
 * and then is not. But each size's slowest round is left out, because the machine may have been away.
 */
function fastest(sizes: readonly number[], timeOf: (threads: number) => number): number {
  const warmUp = sizes.map(timeOf);
  const rounds: number[][] = [];
  let elapsedMs = sum(warmUp);
  while (elapsedMs < (rounds.length < ROUNDS ? BUDGET_MS.most : BUDGET_MS.least)) {
    const round = sizes.map(timeOf);
    rounds.push(round);
    elapsedMs += sum(round);
  }
  const costs = sizes.map((_, index) =>
    costOf((rounds.length > 0 ? rounds : [warmUp]).map((round) => round[index] ?? Infinity)),
  );
  const least = Math.min(...costs);
  return sizes.find((_, index) => (costs[index] ?? Infinity) <= AS_GOOD * least) ?? 1;
}

/** All of `times` but the longest; of one or two, all. */
function costOf(times: readonly number[]): number {
  return sum(times) - (times.length > 2 ? Math.max(...times) : 0);
}

function sum(times: readonly number[]): number {
  return times.reduce((total, ms) => total + ms, 0);
}

/** How many ops from the first on read so many bytes of weights; undefined when all of them read less. */
function opsOf(ops: readonly Op[], plan: MemoryPlan, weightBytes: number): number | undefined {
  let bytes = 0;
  for (const [index, op] of ops.entries()) {
    // Of the embedding a step reads a few rows.
    for (const name of new Set(needsOf(op).matrices.flatMap((matrix) => panelsOf(plan, matrix)))) {
      bytes += cpuLayout.bytes(present(plan.tensors[name], `tensor ${name} is planned`));
    }
    if (bytes >= weightBytes) return index + 1;
  }
  return undefined;
}
