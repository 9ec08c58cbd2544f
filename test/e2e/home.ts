// Where a command of a suite runs, in a process or without one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a process ended and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder that is removed after use; also the home of the processes of a suite, so no user's history is touched. */
export function createTemporaryDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'troupe-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The whole environment of a program of a suite with that home. */
export function environmentOf(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: home, TERM: 'xterm' };
}
