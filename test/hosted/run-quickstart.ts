// docs/hosted-quickstart.md as one script: our engine behind a private gateway behind the hosted API, on one machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBlocks } from '../docs/blocks.js';
import { freePort } from '../docs/installed-app.js';
import { createTemporaryDirectory } from '../e2e/processes.js';

/** Ports of the page, which may be taken here: of the engine, the gateway, the hosted API and its operator page. */
const PORTS = [11_434, 9_440, 9_470, 9_475] as const;
const DONE = 'the page is done';

/** The page after its last block, with everything still running. */
export interface RunPage extends AsyncDisposable {
  /** A file that the page wrote. */
  read(name: string): string;
  /** Of the hosted API. */
  readonly url: string;
  readonly operatorUrl: string;
  /** A key of the account. */
  readonly secret: string;
  /** What its commands printed. */
  readonly said: string;
}

/** Runs every block of the page in an empty folder. Errors: what the page and its programs said, where a command fails. */
export async function runQuickstart(): Promise<RunPage> {
  const { path: folder, remove } = createTemporaryDirectory();
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  writeNpx(folder);
  const free: number[] = [];
  for (const port of PORTS) free.push(await freePort(port));
  writeFileSync(join(folder, 'page.sh'), toScript(free));
  const env = {
    ...process.env,
    HOME: folder,
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    NODE_OPTIONS: '',
  };
  const shell = spawn('bash', ['page.sh'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  const isDone = new Promise<undefined>((resolve) => {
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.on('data', (piece: Buffer) => {
        said += piece.toString();
        if (said.includes(DONE)) resolve(undefined);
      });
    }
  });
  const ended = once(shell, 'exit');
  if ((await Promise.race([ended, isDone])) !== undefined) {
    const logs = ['engine.log', 'gateway.log', 'hosted.log'].filter((name) => existsSync(join(folder, name))).map(read);
    remove();
    throw new Error(`the page failed:\n${[said, ...logs].join('\n')}`);
  }
  return {
    read,
    url: `http://127.0.0.1:${free[2]}`,
    operatorUrl: `http://127.0.0.1:${free[3]}`,
    secret: (JSON.parse(read('key.json')) as { secret: string }).secret,
    said,
    async [Symbol.asyncDispose]() {
      shell.stdin.end();
      await ended;
      remove();
    },
  };
}

/** `npx COMMAND` is the command of this build. */
function writeNpx(folder: string): void {
  mkdirSync(join(folder, 'bin'));
  const bin = join(process.cwd(), 'dist/src/bin');
  writeFileSync(
    join(folder, 'bin/npx'),
    `#!/bin/sh\ncommand=$1\nshift\nexec "${process.execPath}" "${bin}/$command.js" "$@"\n`,
  );
  chmodSync(join(folder, 'bin/npx'), 0o755);
}

/** The page; where a port is taken, with another one. It stays to be asked until its standard input ends. */
function toScript(free: readonly number[]): string {
  const blocks = readBlocks(readFileSync('docs/hosted-quickstart.md', 'utf8')).map(({ text }) => text);
  let script = ['set -euo pipefail', "trap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT", ...blocks].join('\n');
  const [engine = 0, gateway, hosted, operator] = free;
  for (const [i, port] of PORTS.entries())
    script = script.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), String(free[i]));
  script = script.replace('native-engine serve --http', `native-engine serve --http --port ${engine}`);
  const moves = [
    ['npx private-gateway serve', 'gateway.yaml', PORTS[1], gateway],
    ['npx hosted-api check', 'hosted.yaml', PORTS[2], hosted],
    ['npx hosted-api check', 'hosted.yaml', PORTS[3], operator],
  ] as const;
  for (const [before, file, from, to] of moves) {
    script = script.replace(before, `sed -i.bak 's/\\b${from}\\b/${to}/' ${file}\n${before}`);
  }
  return `${script}\necho ${DONE}\ncat > /dev/null\n`;
}
