/**
 * Measures at load how many threads are best for narrow steps, which read memory, and for wide ones, which compute:
 * the beginning of the program is run with each size of the team, largest first. Nothing of it is kept but times.
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

/** Narrow probes read more than most caches hold, wide ones compute for some 10 ms on one core. */
const NARROW = { rows: 1, weightBytes: 64 << 20, budgetMs: 35 } as const;
const WIDE = { rows: 32, weightBytes: 16 << 20, budgetMs: 50 } as const;
/** Runs of each size, after one that warms up. */
const RUNS = 3;
/** A size that takes so much longer than the best ends the search: smaller ones would take longer still. */
const HOPELESS = 1.3;

/** Rows that probes need in a block of the KV cache. */
export const PROBE_ROWS: number = WIDE.rows;

/**
 * The best of `sizes` (ascending) by `timeOf`, milliseconds of one probe. Takes less than a tenth of a second, and what its last
 * runs take longer. Undefined where a step is so short that trying sizes in steps costs less than this.
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

/** Means, not the least: a size that is fast only now and then is not. Where time ends, what was measured counts. */
function fastest(sizes: readonly number[], budgetMs: number, timeOf: (threads: number) => number): number {
  let best = { threads: sizes.at(-1) ?? 1, ms: Infinity };
  let leftMs = budgetMs;
  for (const threads of sizes.toReversed()) {
    leftMs -= timeOf(threads);
    let [total, runs] = [0, 0];
    while (runs < RUNS && leftMs > 0) {
      const ms = timeOf(threads);
      leftMs -= ms;
      total += ms;
      runs++;
    }
    if (runs === 0) break;
    const ms = total / runs;
    if (ms < best.ms) best = { threads, ms };
    else if (ms > HOPELESS * best.ms) break;
  }
  return best.threads;
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
