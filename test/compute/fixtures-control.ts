// One thread of the control test: counts rounds, stalls at random, and looks whether all others of the round are in it.

import { parentPort, workerData } from 'node:worker_threads';
import { Control } from '../../src/compute/devices/cpu/threads/control.js';
import { createRandom } from './kernel-memory.js';

interface Job {
  readonly control: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
  readonly thread: number;
}

/** Stalls often enough that others spin, sometimes long enough that they sleep. */
function stall(random: () => number): void {
  const turns = random() < 0.02 ? random() * 3_000_000 : random() * 1000;
  for (let i = 0; i < turns; i++) random();
}

function run({ control: memory, counters: shared, thread }: Job): string {
  const control = new Control(memory, thread);
  const counters = new Int32Array(shared);
  const random = createRandom(thread + 1);
  const step = { kernel: -1, rows: 0, logitRows: 0, threads: 0, ops: 0 };
  let last: number | undefined = 0;
  while ((last = control.next(last, step)) !== undefined) {
    stall(random);
    Atomics.store(counters, thread, step.rows);
    control.barrier();
    const behind = counters
      .subarray(0, step.threads)
      .findIndex((_, other) => Atomics.load(counters, other) !== step.rows);
    if (behind !== -1) return `thread ${thread} was in round ${step.rows}, thread ${behind} was not`;
    control.barrier();
  }
  return 'stopped';
}

let answer: string;
try {
  answer = run(workerData as Job);
} catch (error) {
  answer = error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
const port = parentPort;
port?.postMessage(answer);
