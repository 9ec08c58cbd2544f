// A PostgreSQL of Debian, on a port of loopback and a directory that goes with it.
import { execFile, execFileSync, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';
import { spawnTied } from './spawn-tied.js';

const run = promisify(execFile);
const VERSIONS = '/usr/lib/postgresql';

/** A server that runs. */
export interface TestPostgres {
  /** Its files, that of the write-ahead log among them. */
  readonly directory: string;
  /** Makes an empty database; its address. */
  readonly createDatabase: (name: string) => Promise<string>;
  /** Ends the server at once, as a crash does with `crash`, and starts it again. */
  readonly halt: (how?: 'fast' | 'crash') => Promise<void>;
  readonly start: () => Promise<void>;
  /** Ends it and removes its files. */
  readonly stop: () => Promise<void>;
}

/** Where its programs are: of the newest version; undefined where there are none. */
export function findPostgres(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(VERSIONS, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

/** PostgreSQL does not run as root: then as this user. */
const isRoot = process.getuid?.() === 0;

function userOf(): { readonly uid: number; readonly gid: number } | undefined {
  if (!isRoot) return undefined;
  try {
    const [uid = 65_534, gid = 65_534] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
    );
    return { uid, gid };
  } catch {
    // The usual id of an unprivileged user.
    return { uid: 65_534, gid: 65_534 };
  }
}

/** Starts one. `isDurable`: with fsync, for tests that end it as a crash does. */
export async function startPostgres({ isDurable = false } = {}): Promise<TestPostgres> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error('no PostgreSQL is installed here');
  const user = userOf();
  const directory = mkdtempSync(join(tmpdir(), 'postgres-'));
  chmodSync(directory, 0o700);
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  const data = join(directory, 'data');
  const as = { ...user, cwd: directory, env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', HOME: directory } };
  const initdb = ['-D', data, '-U', 'troupe', '-A', 'trust', '-E', 'UTF8', '--no-instructions'];
  await run(join(bin, 'initdb'), isDurable ? initdb : [...initdb, '--no-sync'], as);
  const port = await freePort();
  const off = isDurable ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'synchronous_commit=off'];
  const settings = ['-c', 'shared_buffers=64MB', '-c', 'max_connections=120', '-c', 'jit=off', ...off];
  const where = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory];
  const psql = (sql: string) =>
    run(join(bin, 'psql'), ['-h', directory, '-p', String(port), '-U', 'troupe', '-d', 'postgres', '-qtAc', sql], as);
  let server: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    server = spawnTied(join(bin, 'postgres'), [...where, ...settings], 'QUIT', {
      ...as,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let told = '';
    server.stderr?.on('data', (bytes: Buffer) => (told = (told + bytes.toString()).slice(-2000)));
    for (let tries = 0; ; tries++) {
      try {
        await psql('SELECT 1');
        return;
      } catch (error) {
        if (tries > 200 || server.exitCode !== null)
          throw new Error(`PostgreSQL did not start: ${told}`, { cause: error });
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  };
  const halt = async (how: 'fast' | 'crash' = 'fast'): Promise<void> => {
    const ending = server;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  };
  await start();
  return {
    directory,
    async createDatabase(name) {
      await psql(`CREATE DATABASE ${name}`);
      return `postgres://troupe@127.0.0.1:${port}/${name}`;
    },
    halt,
    start,
    async stop() {
      await halt();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
