import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { Control, createControlMemory } from '../../src/compute/devices/cpu/index.js';

interface ThreadGroup {
  readonly control: Control;
  readonly counters: Int32Array;
  readonly answers: Promise<string[]>;
}

/** Threads 1 … threads − 1 of a thread group; the test is thread 0. */
function startThreadGroup(threads: number): ThreadGroup {
  const memory = createControlMemory(threads);
  const shared = new SharedArrayBuffer(threads * 4);
  const answers = Array.from({ length: threads - 1 }, async (_, index) => {
    const workerData = { control: memory, counters: shared, thread: index + 1 };
    const worker = new Worker(new URL('fixtures-control.js', import.meta.url), { workerData });
    const [answer] = (await once(worker, 'message')) as [string];
    await worker.terminate();
    return answer;
  });
  return { control: new Control(memory), counters: new Int32Array(shared), answers: Promise.all(answers) };
}

describe('control', () => {
  it.each([2, 3])('keeps %i threads in step that stall at random, and stops them', async (threads) => {
    const { control, counters, answers } = startThreadGroup(threads);
    for (let round = 1; round <= 500; round++) {
      control.start({ rows: round, logitRows: 0, threads, ops: 1 });
      Atomics.store(counters, 0, round);
      control.barrier();
      expect([...counters]).toEqual(Array<number>(threads).fill(round));
      control.barrier();
    }
    control.stop();
    expect(await answers).toEqual(Array<string>(threads - 1).fill('stopped'));
  });

  it('leaves threads out of a round, and has them back in a later one', async () => {
    const threads = 4;
    const { control, counters, answers } = startThreadGroup(threads);
    const expected = Array<number>(threads).fill(0);
    for (let round = 1; round <= 300; round++) {
      const size = [4, 2, 3, 2, 2][round % 5] ?? threads;
      control.start({ rows: round, logitRows: 0, threads: size, ops: 1 });
      Atomics.store(counters, 0, round);
      control.barrier();
      expected.fill(round, 0, size);
      expect([...counters]).toEqual(expected);
      control.barrier();
    }
    control.stop();
    expect(await answers).toEqual(Array<string>(threads - 1).fill('stopped'));
  });

  it('does not let a thread sleep at a barrier for one that is a moment late, but for one that stays away', async () => {
    const ARRIVED = 5;
    const BARRIER_SLEEPERS = 7;
    const { control, answers } = startThreadGroup(2);
    const word = (at: number): number => Atomics.load(control.words, at);
    const startMs = performance.now();
    control.start({ rows: 1, logitRows: 0, threads: 2, ops: 1 });
    while (word(ARRIVED) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    while (word(BARRIER_SLEEPERS) === 0) await new Promise((resolve) => setImmediate(resolve));
    // It spins for 8 ms from when it arrived, which is after the start: however late this thread looks, it is no less.
    expect(performance.now() - startMs).toBeGreaterThan(7);
    control.stop();
    expect(await answers).toEqual(['compute_stopped']);
  });

  it('breaks the barrier of a thread whose thread group is stopped in the middle of a step', async () => {
    const { control, answers } = startThreadGroup(2);
    control.start({ rows: 1, logitRows: 0, threads: 2, ops: 1 });
    control.stop();
    expect(await answers).toEqual(['compute_stopped']);
  });
});
