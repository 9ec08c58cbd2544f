// `npm run test:times [-- FILTER...]`: runs the suites and prints the twenty slowest, with wall and processor time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SuiteTime } from './record.js';

const PRINTED = 20;

const directory = mkdtempSync(join(tmpdir(), 'test-times-'));
const path = join(directory, 'times.jsonl');
try {
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, TEST_TIMES: path },
  });
  const [status] = (await once(child, 'exit')) as [number | null];
  process.exitCode = status ?? 1;
  const times = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SuiteTime);
  const sum = (of: (time: SuiteTime) => number): number => times.reduce((total, time) => total + of(time), 0);
  console.log(
    `\n${times.length} suites, seconds: wall ${sum(({ wall }) => wall).toFixed(0)} in all, processor ${sum(({ processor }) => processor).toFixed(0)}`,
  );
  console.log('    wall processor  project  suite');
  for (const { suite, project, wall, processor } of times.toSorted((a, b) => b.wall - a.wall).slice(0, PRINTED))
    console.log(`${wall.toFixed(1).padStart(8)} ${processor.toFixed(1).padStart(9)}  ${project.padEnd(8)} ${suite}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
