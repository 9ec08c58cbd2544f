// The program itself: `hosted-api serve` in a folder of its own, with all that it writes kept.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askServer } from '../../../src/control/index.js';
import type { OperationName } from '../../../src/hosted/index.js';
import { hostedControlPath } from '../../../src/hosted/operations/hosted-operator.js';

const PROGRAM = join(process.cwd(), 'dist/src/bin/hosted-api.js');

/** A node in a process of its own. */
export interface ServedNode extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly port: number;
  readonly operatorUrl: string;
  /** What it wrote so far. */
  readonly output: () => string;
  readonly operate: (operation: OperationName, params?: object) => Promise<unknown>;
  /** Resolves with its exit status, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

/**
 * Serves `file` from a folder, where its data, temporary files and dumps would be: it may write dumps of any size, as far as
 * it does not forbid itself.
 */
export async function serveNode(folder: string, file: object): Promise<ServedNode> {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary, { recursive: true });
  const path = join(folder, 'hosted.yaml');
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
  const child = spawn(
    'bash',
    ['-c', 'ulimit -c unlimited; exec "$0" "$@"', process.execPath, PROGRAM, 'serve', '--config', path],
    {
      cwd: folder,
      env: { ...process.env, TMPDIR: temporary, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
  const [port, operatorUrl] = await new Promise<[number, string]>((resolve, reject) => {
    const take = (bytes: Buffer): void => {
      output += bytes.toString('latin1');
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      const operator = /operator page: (\S+)/.exec(output)?.[1];
      if (found !== undefined && operator !== undefined) resolve([Number(found), operator]);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    void ended.then(() => reject(new Error(`the node ended: ${output}`)));
  });
  return {
    child,
    port,
    operatorUrl,
    output: () => output,
    operate: (operation, params = {}) => askServer(hostedControlPath(join(folder, 'data')), { operation, params }),
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}
