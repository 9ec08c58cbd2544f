import { expect, it } from 'vitest';
import { every, sleep, type Clock } from '../../src/base/index.js';

/** A clock that a test moves. */
function setUp(): { clock: Clock; pass: (ms: number) => void } {
  let nowMs = 0;
  const timers = new Map<() => void, number>();
  const clock: Clock = {
    nowMs: () => nowMs,
    unixSeconds: () => nowMs / 1000,
    after(delayMs, run) {
      timers.set(run, nowMs + delayMs);
      return () => void timers.delete(run);
    },
  };
  const pass = (ms: number): void => {
    for (const end = nowMs + ms; nowMs < end;) {
      nowMs++;
      for (const [run, dueMs] of timers) if (dueMs === nowMs && timers.delete(run)) run();
    }
  };
  return { clock, pass };
}

it('every runs once a period until it is ended, also from what it runs', () => {
  const { clock, pass } = setUp();
  let runs = 0;
  const stop = every(10, clock, () => {
    if (++runs === 3) stop();
  });
  pass(9);
  expect(runs).toBe(0);
  pass(1);
  expect(runs).toBe(1);
  pass(100);
  expect(runs).toBe(3);
});

it('sleep ends with its delay, or with the reason of its signal', async () => {
  const { clock, pass } = setUp();
  const slept = sleep(10, clock);
  pass(10);
  await slept;
  const control = new AbortController();
  const left = sleep(10, clock, control.signal);
  const reason = new Error('enough');
  control.abort(reason);
  await expect(left).rejects.toBe(reason);
  await expect(sleep(10, clock, control.signal)).rejects.toBe(reason);
});
