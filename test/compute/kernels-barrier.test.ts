import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createReferenceKernels, loadVariant, setKernelFlags } from '../../src/compute/backends/index.js';

setKernelFlags();
const module = await loadVariant('portable');
const STATE = 65_536;
const COUNTERS = STATE + 64;

describe('barrier', () => {
  it.each([
    { threads: 2, spins: 0, rounds: 300 },
    { threads: 2, spins: 200, rounds: 1000 },
    { threads: 2, spins: 20_000, rounds: 1000 },
    { threads: 3, spins: 50, rounds: 300 },
  ])('keeps $threads stalling threads in step after $spins spins', async ({ threads, spins, rounds }) => {
    const memory = new WebAssembly.Memory({ initial: 2, maximum: 2, shared: true });
    const answers = Array.from({ length: threads }, async (_, thread) => {
      const workerData = { module, memory, thread, threads, rounds, spins, state: STATE, counters: COUNTERS };
      const worker = new Worker(new URL('fixtures-barrier.js', import.meta.url), { workerData });
      const [answer] = (await once(worker, 'message')) as [string];
      await worker.terminate();
      return answer;
    });
    expect(await Promise.all(answers)).toEqual(Array<string>(threads).fill('done'));
    expect(new Int32Array(memory.buffer, STATE, 1)[0]).toBe(0);
  });

  it('of the reference refuses more than one thread', () => {
    const kernels = createReferenceKernels(new ArrayBuffer(65_536));
    kernels.barrier(0, 1, 0);
    expect(() => kernels.barrier(0, 2, 0)).toThrow('one thread');
  });
});
