import { type Clock, median, present, systemClock } from '../../../../base/index.js';
import { packedMatrixBytes, packMatrix } from '../../../../weights/index.js';
import { matmulName } from '../kernel-choice.js';
import { matmulScratchBytes, quantizedRowBytes, type Kernels } from '../kernel-interface.js';
import { createSharedMemory } from '../memory/wasm-memory.js';

/** A product like a model's, but short; where its parts lie in the race's memory. */
const COLUMNS = 512;
const OUTPUTS = 64;
const ROW_BYTES = quantizedRowBytes(COLUMNS);
/** Rows of draft tokens, and of a prompt, for which weights are unpacked first. */
const ROWS = [4, 32] as const;
const MOST_ROWS = Math.max(...ROWS);
/** The most common quants of models. */
const KINDS = ['q4', 'q8'] as const;

/**
 * Rounds in which each contestant gets a turn at each kind of product, and how long a turn lasts at least. Only turns of a
 * round are compared, and the round in the middle counts: a machine that changes its pace from round to round, is taken away
 * for some milliseconds or is fast for a moment must not decide.
 */
const ROUNDS = 11;
const TURN_MS = 0.1;

/** Variants of the kernels in competition. */
export interface Race {
  /** Memory with weights and rows, for one contestant. */
  createMemory(): WebAssembly.Memory;
  /** How many times as long as the fastest of a round each takes, in the mean over some products; in the contestants' order. */
  run(contestants: readonly Kernels[]): number[];
}

/** `nowMs` is for tests, whose clocks go as they want. */
export function createRace({ nowMs }: Pick<Clock, 'nowMs'> = systemClock): Race {
  const at = layOut();
  const pages = Math.ceil(at.end / 65_536);
  const values = Float32Array.from({ length: OUTPUTS * COLUMNS }, (_, i) => Math.sin(i * 1.7));
  const matrices = KINDS.map((quant) => packMatrix(quant, values, OUTPUTS, COLUMNS));
  const products = KINDS.flatMap((quant) =>
    ROWS.map((rows) => ({ kernel: matmulName(quant), weights: at[quant], rows })),
  );
  return {
    createMemory() {
      const memory = createSharedMemory(pages, 'the test of the kernels');
      for (const [i, quant] of KINDS.entries()) {
        new Uint8Array(memory.buffer).set(present(matrices[i], 'each kind is packed'), at[quant]);
      }
      new Float32Array(memory.buffer, at.x, MOST_ROWS * COLUMNS).set(values.subarray(0, MOST_ROWS * COLUMNS));
      return memory;
    },
    run(contestants) {
      for (const kernels of contestants) {
        kernels.quantizeRows(at.quantized, ROW_BYTES, at.x, COLUMNS * 4, COLUMNS, 0, MOST_ROWS);
      }
      const costs = contestants.map(() => 0);
      for (const { kernel, weights, rows } of products) {
        const { out, quantized, scratch } = at;
        const runs = contestants.map((kernels) => (): void => {
          kernels[kernel](
            out,
            OUTPUTS * 4,
            quantized,
            ROW_BYTES,
            weights,
            COLUMNS,
            rows,
            0,
            OUTPUTS / 8,
            0,
            0,
            scratch,
          );
        });
        for (const [i, cost] of costsOf(runs, nowMs).entries()) costs[i] = (costs[i] ?? 0) + cost / products.length;
      }
      return costs;
    },
  };
}

/** Time of each run's turn over the least of its round, in the median of the rounds. */
function costsOf(runs: readonly (() => void)[], nowMs: () => number): number[] {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const times = runs.map((run) => timeOf(run, nowMs));
    const least = Math.min(...times);
    return times.map((time) => time / least);
  });
  return runs.map((_, i) => median(rounds.map((costs) => costs[i] as number)));
}

/** Milliseconds of one `run`, in the mean of as many as fill a turn. */
function timeOf(run: () => void, nowMs: () => number): number {
  const start = nowMs();
  for (let runs = 1; ; runs++) {
    run();
    const elapsedMs = nowMs() - start;
    if (elapsedMs >= TURN_MS) return elapsedMs / runs;
  }
}

/** After the reserved page, each at a vector's boundary. */
function layOut() {
  let end = 65_536;
  const take = (bytes: number): number => {
    const at = end;
    end = Math.ceil((at + bytes) / 64) * 64;
    return at;
  };
  const parts = {
    x: take(MOST_ROWS * COLUMNS * 4),
    quantized: take(MOST_ROWS * ROW_BYTES),
    q4: take(packedMatrixBytes('q4', OUTPUTS, COLUMNS)),
    q8: take(packedMatrixBytes('q8', OUTPUTS, COLUMNS)),
    scratch: take(matmulScratchBytes(COLUMNS)),
    out: take(MOST_ROWS * OUTPUTS * 4),
  };
  return { ...parts, end };
}
