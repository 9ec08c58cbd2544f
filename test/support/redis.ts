// A redis-server of Debian, which speaks what a Valkey does, on a port of loopback.
import { execFileSync } from 'node:child_process';
import { createConnection } from 'node:net';
import { freePort } from './free-port.js';
import { spawnTied } from './spawn-tied.js';

/** A server that runs. */
export interface TestRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** Why there is none here; undefined: there is one. */
export const noRedis: string | undefined = hasRedis()
  ? undefined
  : 'no redis-server is installed here (Debian: redis-server)';

function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts one that keeps nothing on the disk. `port`: that of one that was stopped. */
export async function startRedis(port?: number): Promise<TestRedis & { readonly port: number }> {
  const at = port ?? (await freePort());
  const settings = ['--port', String(at), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', '/tmp'];
  const server = spawnTied('redis-server', settings, 'KILL', { stdio: 'ignore' });
  for (let tries = 0; !(await answers(at)); tries++) {
    if (tries > 200) throw new Error('redis-server did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url: `redis://127.0.0.1:${at}`,
    port: at,
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGKILL');
      await ended;
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
