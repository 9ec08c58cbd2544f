// Bounds of time on a machine that does other work too.
import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';

const PROBES = 5;
const PROBE_MICRO = 10_000;

/** How long a piece of work takes for its processor time: 1 on a quiet machine, 10 where this process has a tenth of a core. */
function slowness(): number {
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
