import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../../bench/engine/crowd.js', import.meta.url));

interface Line {
  readonly bench: string;
  readonly request?: number;
  readonly rssMiB?: number;
  readonly heapMiB?: number;
  readonly blocks?: number;
  readonly freeBlocks?: number;
  readonly cancelled?: number;
  readonly ratio?: number;
}

describe('10,000 requests of 32 callers on 8 slots, a third of them cancelled', () => {
  it('leave memory flat and all blocks free, and every caller waits about as long', { timeout: 600_000 }, async () => {
    const flags = ['--expose-gc', '--max-semi-space-size=1'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, bench, '10000']);
    process.stdout.write(stdout);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const end = lines.find(({ freeBlocks }) => freeBlocks !== undefined);
    expect(end?.cancelled).toBeGreaterThan(2_000);
    expect(end?.freeBlocks).toBe(end?.blocks);
    expect(lines.at(-1)?.ratio).toBeLessThanOrEqual(2);
    const looks = lines.filter(({ request }) => request !== undefined);
    expect(looks.length).toBeGreaterThanOrEqual(9);
    // Before, every page of the KV cache is touched for the first time, and code is compiled.
    const [early, late] = [looks.slice(3, 6), looks.slice(-3)];
    const most = (some: readonly Line[], of: 'rssMiB' | 'heapMiB'): number =>
      Math.max(...some.map((line) => line[of] ?? NaN));
    expect(most(late, 'heapMiB')).toBeLessThanOrEqual(most(early, 'heapMiB') + 1);
    // What engine and compute threads have not collected yet comes and goes.
    expect(most(late, 'rssMiB')).toBeLessThan(most(early, 'rssMiB') * 1.1);
  });
});
