import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { locate } from '../../src/base/index.js';

/** Resident MB of a process whose heap had 150 MB for a moment, when it has been looked at five times. */
function residentMb(before: string): number {
  const program = `
    import { releaseHeapWhenIdle, sleep, holdingClock } from ${JSON.stringify(locate('dist/src/base/index.js').href)};
    const makeGarbage = () => console.error(Array.from({ length: 1_000_000 }, (_, i) => ({ i, more: [i] })).at(-1).i);
    makeGarbage();
    const quick = { ...holdingClock, after: (_, run) => holdingClock.after(100, run) };
    const stop = releaseHeapWhenIdle(quick);
    ${before}
    await sleep(500, holdingClock);
    stop();
    console.log(process.memoryUsage.rss() / 1e6);`;
  const words = ['--input-type=module', '-e', program];
  return Number(execFileSync(process.execPath, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

describe('the heap of a thread that serves', () => {
  it('is given back when there is little to do, and not while there is', () => {
    expect(residentMb('')).toBeLessThan(120);
    // Busy nine tenths of the time.
    const busy =
      'setInterval(() => { const until = performance.now() + 18; while (performance.now() < until); }, 20).unref();';
    expect(residentMb(busy)).toBeGreaterThan(150);
  });
});
