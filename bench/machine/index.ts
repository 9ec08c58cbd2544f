// node dist/bench/machine/index.js [threads]: what the machine gives at most, as JSON lines. Memory read by one thread and
// by all; one matrix product as a ladder from a plain loop on; the same product over weights that no cache holds.

import { availableParallelism } from 'node:os';
import { setKernelFlags } from '../../src/compute/devices/cpu/index.js';
import { packedMatrixBytes } from '../../src/weights/index.js';
import { significant } from '../record/statistics.js';
import type { MachineTask } from './machine-worker.js';
import { COLUMNS, stepsOf, type Product } from './matmul-steps.js';
import { compileScalarModule } from './scalar-module.js';
import { startThreadGroup } from './thread-group.js';

const READ_BYTES = 2 ** 28;
const READ_WINDOW_MS = 250;
const WINDOW_MS = 40;
const WINDOWS = 5;
/** In cache: outputs whose weights fit beside everything else in a megabyte. In memory: above any cache. */
const CACHED_OUTPUTS = 256;
const FAR_OUTPUTS = 65_536;

const threadCounts = [...new Set([1, Number(process.argv[2] ?? availableParallelism())])];

async function best(task: MachineTask, threads: number, windowMs: number): Promise<number> {
  await using threadGroup = await startThreadGroup(task, threads, windowMs, scalar);
  if (!threadGroup.isRight) return Number.NaN;
  let most = 0;
  for (let window = 0; window < WINDOWS; window++) most = Math.max(most, await threadGroup.measure());
  return most;
}

function print(line: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ ...line, node: process.versions.node })}\n`);
}

async function measureProduct(place: 'cache' | 'memory', product: Product, threads: number): Promise<void> {
  const { quant, rows, outputs } = product;
  for (const step of stepsOf(quant)) {
    // The loops take seconds over what no cache holds, and are bound by their own instructions there too.
    if (place === 'memory' && (step === 'javascript' || step === 'scalar')) continue;
    const turns = await best({ kind: 'matmul', step, product }, threads, WINDOW_MS);
    const bytes = packedMatrixBytes(quant, outputs, COLUMNS);
    const macs = rows * COLUMNS * outputs;
    print({
      bench: 'ladder',
      place,
      step,
      quant,
      rows,
      threads,
      // Null: this step is wrong on this machine (a variant that wants another instruction), so it has no speed.
      gmacPerSecond: Number.isNaN(turns) ? null : significant((turns * macs) / 1e9),
      gbPerSecond: Number.isNaN(turns) ? null : significant((turns * bytes) / 1e9),
      macsPerByte: significant(macs / bytes),
    });
  }
}

setKernelFlags();
const scalar = await compileScalarModule();
for (const threads of threadCounts) {
  const turns = await best({ kind: 'read', bytes: READ_BYTES }, threads, READ_WINDOW_MS);
  print({ bench: 'memory', threads, gbPerSecond: significant((turns * READ_BYTES) / 1e9) });
  for (const quant of ['q8', 'q4'] as const) {
    for (const rows of [1, 64]) await measureProduct('cache', { quant, rows, outputs: CACHED_OUTPUTS }, threads);
    await measureProduct('memory', { quant, rows: 1, outputs: FAR_OUTPUTS }, threads);
  }
}
