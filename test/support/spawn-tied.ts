// Servers of tests that end with the test, also where that is killed: on Linux the system tells them.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Of util-linux: it asks for a signal when the parent dies, and becomes the program. */
const SETPRIV = '/usr/bin/setpriv';

/** Starts a program that gets `signal` when this process ends, however it does. */
export function spawnTied(
  program: string,
  args: readonly string[],
  signal: 'KILL' | 'QUIT',
  options: SpawnOptions,
): ChildProcess {
  const isTied = process.platform === 'linux' && existsSync(SETPRIV);
  const child = isTied
    ? spawn(SETPRIV, ['--pdeathsig', signal, program, ...args], options)
    : spawn(program, [...args], options);
  const end = (): void => void child.kill(`SIG${signal}`);
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return child;
}
