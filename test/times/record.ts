// A setup file of vitest: appends one line of JSON for each suite to the file that TEST_TIMES names.
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';

/** Linux counts in hundredths of a second here, on every architecture. */
const TICKS_A_SECOND = 100;

/** Seconds of processor time of this process and of the children that have ended; 0 where there is no /proc. */
function processorSeconds(): number {
  let text: string;
  try {
    text = readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return process.cpuUsage().user / 1e6;
  }
  // The fields after the name in brackets, which may have spaces: the 14th to the 17th of proc(5) are the times.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
}

const start = { wall: performance.now(), processor: processorSeconds() };

afterAll(() => {
  const path = process.env['TEST_TIMES'];
  if (path === undefined) return;
  const suite = relative(process.cwd(), expect.getState().testPath ?? '');
  const wall = (performance.now() - start.wall) / 1000;
  appendFileSync(path, `${JSON.stringify({ suite, wall, processor: processorSeconds() - start.processor })}\n`);
});
