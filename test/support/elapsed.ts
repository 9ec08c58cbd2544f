// Bounds of time on a machine that does other work too.
import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';

const PROBES = 5;
const PROBE_MICRO = 10_000;

/** How long a piece of work takes for its processor time: 1 on a quiet machine, 10 where this process has a tenth of a core. */
export function slowness(): number {
  const ratios = Array.from({ length: PROBES }, () => {
    const [startMs, start] = [performance.now(), process.cpuUsage()];
    let used = 0;
    while (used < PROBE_MICRO) {
      const { user, system } = process.cpuUsage(start);
      used = user + system;
    }
    return ((performance.now() - startMs) * 1_000) / used;
  });
  return Math.max(1, ...ratios);
}

/** Expects that no more than `limitMs` of a quiet machine went by since `startMs`, by `performance.now()`. */
export function expectWithin(limitMs: number, startMs: number): void {
  const elapsedMs = performance.now() - startMs;
  if (elapsedMs >= limitMs) expect(elapsedMs).toBeLessThan(limitMs * slowness());
}

const ATTEMPTS = 3;

/**
 * Runs `run` and expects that it takes less than `limitMs` of processor time, of several attempts in one: a core is slower
 * beside another that is busy, and the collector runs for others too. A function measures the limit beside each attempt.
 */
export function expectCpuWithin<T>(limit: number | (() => number), run: () => T): T {
  for (let attempt = 1; ; attempt++) {
    const limitMs = typeof limit === 'number' ? limit : limit();
    const start = process.cpuUsage();
    const result = run();
    const usedMs = process.cpuUsage(start).user / 1_000;
    if (usedMs < limitMs || attempt === ATTEMPTS) {
      expect(usedMs).toBeLessThan(limitMs);
      return result;
    }
  }
}
