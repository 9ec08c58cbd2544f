import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/base/index.js';

/** A clock on which every wait ends as soon as nothing else is to be done: it jumps to the next timer that is due. */
export function steppingClock(): Clock {
  let nowMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  return {
    nowMs: () => nowMs,
    unixSeconds: () => 1_800_000_000 + Math.floor(nowMs / 1_000),
    after(delayMs, run) {
      const timer = { atMs: nowMs + delayMs, run };
      timers.add(timer);
      void setImmediate().then(() => {
        if (!timers.delete(timer)) return;
        nowMs = Math.max(nowMs, timer.atMs);
        run();
      });
      return () => timers.delete(timer);
    },
  };
}
