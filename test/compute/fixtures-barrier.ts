// One thread of the barrier test: counts rounds, stalls at random, and looks whether all others are in its round.

import { parentPort, workerData } from 'node:worker_threads';
import { instantiateKernels } from '../../src/compute/backends/index.js';
import { createRandom } from './kernel-memory.js';

interface Job {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly thread: number;
  readonly threads: number;
  readonly rounds: number;
  readonly spins: number;
  readonly state: number;
  readonly counters: number;
}

function run(job: Job): string {
  const { barrier } = instantiateKernels(job.module, job.memory);
  const counters = new Int32Array(job.memory.buffer, job.counters, job.threads);
  const random = createRandom(job.thread + 1);
  for (let round = 1; round <= job.rounds; round++) {
    const stall = random() < 0.1 ? random() * 100_000 : random() * 1000;
    for (let i = 0; i < stall; i++) random();
    counters[job.thread] = round;
    barrier(job.state, job.threads, job.spins);
    const behind = counters.findIndex((counter) => counter !== round);
    if (behind >= 0)
      return `thread ${job.thread} left round ${round} while thread ${behind} was in ${counters[behind]}`;
    barrier(job.state, job.threads, job.spins);
  }
  return 'done';
}

const answer = run(workerData as Job);
const port = parentPort;
port?.postMessage(answer);
