import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../../bench/engine/crowd.js', import.meta.url));

interface Line {
  readonly bench: string;
  readonly request?: number;
  readonly rssMiB?: number;
  readonly blocks?: number;
  readonly freeBlocks?: number;
  readonly cancelled?: number;
  readonly ratio?: number;
}

describe('10,000 requests of 32 callers on 8 slots, a third of them cancelled', () => {
  it('leave memory flat and all blocks free, and every caller waits about as long', { timeout: 600_000 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [bench, '10000']);
    process.stdout.write(stdout);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const end = lines.find(({ freeBlocks }) => freeBlocks !== undefined);
    expect(end?.cancelled).toBeGreaterThan(2_000);
    expect(end?.freeBlocks).toBe(end?.blocks);
    expect(lines.at(-1)?.ratio).toBeLessThanOrEqual(2);
    // Until then every page of the KV cache has been touched once, and code is compiled.
    const settled = lines.flatMap(({ rssMiB }) => rssMiB ?? []).slice(4);
    expect(settled.length).toBeGreaterThanOrEqual(5);
    expect(Math.max(...settled)).toBeLessThan(Math.min(...settled) * 1.15);
  });
});
