// One thread of a machine measurement: prepares its task, waits for the start that all share, runs for a while, and says
// how often.

import { parentPort, workerData } from 'node:worker_threads';
import { present } from '../../src/base/index.js';
import { prepareProduct, type Product, type Step } from './matmul-steps.js';
import { instantiateScalar } from './scalar-module.js';

/** What a thread repeats. */
export type MachineTask =
  | { readonly kind: 'read'; readonly bytes: number }
  | { readonly kind: 'matmul'; readonly step: Step; readonly product: Product };

/** What a thread is given: `windows` counts the starts that were called out. */
export interface WorkerInit {
  readonly task: MachineTask;
  readonly scalar: WebAssembly.Module;
  readonly windows: SharedArrayBuffer;
  readonly windowMs: number;
}

/** Turns in one window and the milliseconds they took; before the first window, whether the answer was right. */
export type WorkerReport = { readonly isRight: boolean } | { readonly turns: number; readonly ms: number };

const PAGE = 65_536;

async function prepare({ task, scalar }: WorkerInit): Promise<{ run: () => void; isRight: boolean }> {
  if (task.kind === 'matmul') return prepareProduct(task.step, task.product, scalar);
  const memory = new WebAssembly.Memory({ initial: task.bytes / PAGE + 1 });
  // Pages that were never written are all the same page of zeros.
  new Uint8Array(memory.buffer).fill(1);
  const { readMemory } = instantiateScalar(scalar, memory);
  readMemory(PAGE, task.bytes, 0);
  const sum = new Int32Array(memory.buffer, 0, 32).reduce((total, lane) => (total + lane) | 0, 0);
  return { run: () => readMemory(PAGE, task.bytes, 0), isRight: sum === Math.imul(task.bytes / 4, 0x0101_0101) };
}

const init = workerData as WorkerInit;
const port = present(parentPort, 'this file runs as a worker');
const windows = new Int32Array(init.windows);
const { run, isRight } = await prepare(init);
port.postMessage({ isRight } satisfies WorkerReport);
for (let seen = 0; ;) {
  Atomics.wait(windows, 0, seen);
  seen = Atomics.load(windows, 0);
  if (seen < 0) break;
  const start = performance.now();
  let turns = 0;
  do {
    run();
    turns++;
  } while (performance.now() - start < init.windowMs);
  port.postMessage({ turns, ms: performance.now() - start } satisfies WorkerReport);
}
