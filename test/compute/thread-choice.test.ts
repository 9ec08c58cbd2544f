import { describe, expect, it } from 'vitest';
import { threadGroupSizes } from '../../src/compute/devices/cpu/threads/thread-group-views.js';
import { ThreadChoice } from '../../src/compute/devices/cpu/threads/thread-choice.js';

/** Milliseconds of a step on so many threads, and how many of them its coordinator waits. */
type Machine = (threads: number) => number | { elapsedMs: number; waitedMs: number };

/** Runs `steps` steps of `rows`; how many of them used each number of threads. */
function run(choice: ThreadChoice, rows: number, steps: number, machine: Machine): Record<number, number> {
  const used: Record<number, number> = {};
  for (let step = 0; step < steps; step++) {
    const threads = choice.choose(rows);
    used[threads] = (used[threads] ?? 0) + 1;
    const time = machine(threads);
    choice.learn(rows, typeof time === 'number' ? { elapsedMs: time, waitedMs: 0 } : time);
  }
  return used;
}

const quiet: Machine = (threads) => 1 / threads;
const busy: Machine = (threads) => (threads === 1 ? 1 : 20);

/** A coordinator whose share takes `work / threads`, and that waits where others have not come so far. */
function waiting(work: number, elapsedOf: (threads: number) => number): Machine {
  return (threads) => {
    const ownMs = work / threads;
    const elapsedMs = Math.max(ownMs, elapsedOf(threads));
    return { elapsedMs, waitedMs: elapsedMs - ownMs };
  };
}

const create = (threads: number): ThreadChoice => new ThreadChoice(threadGroupSizes(threads));

describe('thread group sizes', () => {
  it('are the powers of two, and all threads', () => {
    expect(threadGroupSizes(1)).toEqual([1]);
    expect(threadGroupSizes(6)).toEqual([1, 2, 4, 6]);
    expect(threadGroupSizes(8)).toEqual([1, 2, 4, 8]);
  });
});

describe('thread choice for narrow steps', () => {
  it('takes what is faster, after a few tries of each', () => {
    expect(run(create(2), 1, 240, quiet)).toEqual({ 1: 5, 2: 235 });
    expect(run(create(2), 1, 240, busy)[1]).toBeGreaterThan(200);
  });

  it.each([1, 2, 4, 8])('finds %i of 8 threads where they are the fastest', (best) => {
    const machine: Machine = (threads) => 1 + Math.abs(Math.log2(threads / best));
    const choice = create(8);
    run(choice, 1, 60, machine);
    expect(run(choice, 1, 200, machine)[best]).toBeGreaterThan(170);
    expect(run(choice, 1, 2_000, machine)[best]).toBeGreaterThan(1_900);
  });

  it('learns for each number of rows apart', () => {
    const choice = create(2);
    run(choice, 1, 240, busy);
    expect(run(choice, 4, 240, quiet)[2]).toBe(235);
  });

  it('gives a few rows no fewer threads than the single rows between them use, whatever disturbs their own steps', () => {
    const choice = create(2);
    run(choice, 1, 240, quiet);
    const disturbed: Machine = (threads) => (threads === 1 ? 1 : 3);
    let alone = 0;
    for (let turn = 0; turn < 200; turn++) {
      alone += run(choice, 3, 2, disturbed)[1] ?? 0;
      run(choice, 1, 2, quiet);
    }
    expect(alone).toBe(0);
  });

  it('looks for the thread group again soon where steps of so many rows are rare', () => {
    const choice = create(2);
    run(choice, 8, 240, quiet);
    expect(run(choice, 8, 60, (threads) => (threads === 1 ? 1 : 1.3))[1]).toBeGreaterThan(40);
    let rare = 0;
    for (let turn = 0; turn < 100; turn++) {
      run(choice, 12, 16, () => 2);
      rare += run(choice, 8, 1, quiet)[1] ?? 0;
    }
    expect(rare).toBeLessThan(10);
  });

  it('lets a few rows choose for themselves when no single rows come between', () => {
    const choice = create(2);
    run(choice, 1, 240, quiet);
    expect(run(choice, 3, 240, busy)[1]).toBeGreaterThan(190);
  });

  it('changes its mind when the machine becomes busy, and again when it is quiet', () => {
    const choice = create(2);
    run(choice, 1, 256, quiet);
    // Three to notice it, and one to see each time that nothing has changed.
    expect(run(choice, 1, 256, busy)[2]).toBeLessThan(8);
    run(choice, 1, 400, quiet);
    expect(run(choice, 1, 200, quiet)[2]).toBeGreaterThan(170);
  });

  it('spends a twentieth of its time on tries that are hopeless', () => {
    const collapsed: Machine = (threads) => (threads === 1 ? 1 : 60);
    const choice = create(2);
    run(choice, 1, 100, collapsed);
    const used = run(choice, 1, 20_000, collapsed);
    expect((used[2] ?? 0) * 60).toBeLessThan(20_000 / 18);
    expect(used[2]).toBeGreaterThan(8);
  });

  it('finds a thread group again whose first step of each try wakes it for longer than a step takes', () => {
    let last = 2;
    const tiny: Machine = (threads) => {
      const elapsedMs = threads === 1 ? 0.06 : last === 1 ? 0.19 : 0.04;
      last = threads;
      return elapsedMs;
    };
    const choice = create(2);
    run(choice, 1, 200, tiny);
    run(choice, 1, 10, (threads) => (threads === 1 ? 0.06 : 4));
    expect(choice.choose(1)).toBe(1);
    run(choice, 1, 1_600, tiny);
    expect(run(choice, 1, 200, tiny)[2]).toBeGreaterThan(170);
  });

  it('is not misled by a step that was interrupted', () => {
    const choice = create(2);
    run(choice, 1, 240, quiet);
    run(choice, 1, 2, () => 50);
    expect(choice.choose(1)).toBe(2);
  });

  it('begins with what was measured at load, and looks beside it later', () => {
    const choice = create(8);
    choice.begin({ narrow: 2, wide: 8 });
    expect(run(choice, 1, 32, quiet)).toEqual({ 2: 32 });
    run(choice, 1, 1_000, quiet);
    expect(choice.choose(1)).toBe(8);
  });
});

describe('thread choice for wide steps', () => {
  it('uses the thread group without a try of less', () => {
    expect(run(create(2), 64, 50, () => 100)).toEqual({ 2: 50 });
    expect(
      run(
        create(2),
        64,
        50,
        waiting(10, () => 9),
      ),
    ).toEqual({ 2: 50 });
  });

  it('leaves them to one thread where it would not wait so long, and looks for the thread group less and less', () => {
    const slow = waiting(4, (threads) => (threads === 1 ? 4 : 10));
    const choice = create(2);
    expect(run(choice, 64, 6, slow)[2]).toBe(3);
    expect(run(choice, 64, 1_000, slow)[2]).toBeLessThan(70);
    run(
      choice,
      64,
      64,
      waiting(10, () => 6),
    );
    expect(
      run(
        choice,
        64,
        100,
        waiting(10, () => 6),
      ),
    ).toEqual({ 2: 100 });
  });

  it('takes no more of the thread group than the machine has cores for', () => {
    // Four threads on two cores: two of them wait for a turn of the scheduler at each barrier.
    const used = run(
      create(4),
      64,
      1_000,
      waiting(8, (threads) => (threads > 2 ? 40 : 4)),
    );
    expect(used[4]).toBeLessThan(70);
    expect(used[2]).toBeGreaterThan(900);
  });

  it('begins with what was measured at load, and looks for more later', () => {
    const choice = create(8);
    choice.begin({ narrow: 1, wide: 4 });
    expect(run(choice, 64, 3, quiet)).toEqual({ 4: 3 });
    expect(run(choice, 64, 100, quiet)).toEqual({ 8: 100 });
  });
});
