// haproxy before a listener of ours.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ended } from '../e2e/processes.js';
import { openRaw } from '../http/over-transports.js';

/** Why no proxy can be started; undefined: one can. */
export const whyNoProxy = await promisify(execFile)('haproxy', ['-v']).then(
  () => undefined,
  () => 'haproxy is not installed: apt-get install haproxy',
);

/** A proxy in front of `port`, which sets `fields` on what it sees as a request, and gives all to the same few connections. */
export async function startProxy(
  port: number,
  fields: Readonly<Record<string, string>>,
): Promise<AsyncDisposable & { readonly port: number }> {
  const lines = Object.entries(fields).map(([name, value]) => `  http-request set-header ${name} "${value}"`);
  const front = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'front-'));
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(
    file,
    `global
  maxconn 200
defaults
  mode http
  timeout connect 1s
  timeout client 500ms
  timeout http-request 500ms
  timeout http-keep-alive 500ms
  timeout server 2s
  timeout queue 5s
  http-reuse always
listen front
  bind 127.0.0.1:${front}
${lines.join('\n')}
  server back 127.0.0.1:${port} maxconn 32
`,
  );
  const child = spawn('haproxy', ['-f', file, '-db'], { stdio: 'ignore' });
  for (;;) {
    using probe = openRaw(front);
    const isUp = await new Promise((resolve) => {
      probe.socket.once('connect', () => resolve(true));
      probe.socket.once('error', () => resolve(false));
    });
    if (isUp === true) break;
    if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}`);
  }
  return {
    port: front,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended(child);
      rmSync(directory, { recursive: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
