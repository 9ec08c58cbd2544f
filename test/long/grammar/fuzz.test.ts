import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Sources of each kind: `FUZZ_RUNS` for all of them. A million schemas take an hour and more of one core. */
const DEFAULT_RUNS = { schema: 100_000, 'loose-schema': 20_000, elements: 20_000, gbnf: 20_000, regex: 20_000 };
const RUNS = process.env['FUZZ_RUNS'];
/** The first seed, so that runs may go on where others ended. */
const FIRST_SEED = process.env['FUZZ_SEED'] ?? '1';
/** Megabytes that a process may take, however many sources it has read. */
const MAX_RSS_MB = 1_000;

/** A line of the child. */
interface Line {
  readonly done?: number;
  readonly rssMb?: number;
  readonly problem?: string;
}

it.each(Object.entries(DEFAULT_RUNS))(
  'random sources of the kind %s are compiled or refused, none takes a second, and memory stays',
  { timeout: 0 },
  async (kind, runs) => {
    const count = Number(RUNS ?? runs);
    const file = fileURLToPath(new URL('fuzz/fuzz-child.js', import.meta.url));
    const child = spawn(process.execPath, ['--max-old-space-size=800', file, kind, FIRST_SEED, String(count)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    let last: Line = {};
    let largestMb = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      last = JSON.parse(line) as Line;
      largestMb = Math.max(largestMb, last.rssMb ?? 0);
    }
    // What went wrong is the last line: the source, its seed and the problem.
    expect({ code: await ended, last }).toMatchObject({ code: 0, last: { done: count } });
    expect(largestMb).toBeLessThan(MAX_RSS_MB);
  },
);
