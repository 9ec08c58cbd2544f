// A setup file of vitest. Appends one line of JSON for each suite to the file that TEST_TIMES names, and fails a suite of the
// project `pure` that starts something.
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect, inject } from 'vitest';
import { countStarts, type Starts } from './count-starts.js';

/** One suite: its file, its project, its times in seconds and what it started. */
export interface SuiteTime {
  readonly suite: string;
  readonly project: string;
  readonly wall: number;
  readonly processor: number;
  readonly starts: Starts;
}

declare module 'vitest' {
  interface ProvidedContext {
    project: string;
  }
}

/** Linux counts in hundredths of a second here, on every architecture. */
const TICKS_A_SECOND = 100;
const NOTHING: Starts = { processes: 0, threads: 0, sockets: 0 };

/** Seconds of processor time of this process and of the children that have ended. Without /proc: of this process alone. */
function processorSeconds(): number {
  let text: string;
  try {
    text = readFileSync('/proc/self/stat', 'utf8');
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  // The fields after the name in brackets, which may have spaces: the 14th to the 17th of proc(5) are the times.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
}

const start = { wall: performance.now(), processor: processorSeconds() };
const starts = countStarts();
const project = inject('project');

afterAll(() => {
  const path = process.env['TEST_TIMES'];
  if (path !== undefined) {
    const time: SuiteTime = {
      suite: relative(process.cwd(), expect.getState().testPath ?? ''),
      project,
      wall: (performance.now() - start.wall) / 1000,
      processor: processorSeconds() - start.processor,
      starts: starts(),
    };
    appendFileSync(path, `${JSON.stringify(time)}\n`);
  }
  if (project === 'pure') expect(starts(), 'what a suite of the project pure started').toEqual(NOTHING);
});
