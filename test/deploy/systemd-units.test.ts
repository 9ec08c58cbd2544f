// The units of systemd: what they are, and programs that run with the mounts that they give: everything is read-only but
// for the directories that a unit names, and /tmp is empty.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoDirectory } from '../../src/models/index.js';
import { codeOf } from '../../src/base/index.js';
import { entryOf, runCli } from '../e2e/processes.js';

const UNITS = ['native-engine', 'private-gateway', 'hosted-api'] as const;

/** A unit, its settings by name. */
function readUnit(name: string): ReadonlyMap<string, readonly string[]> {
  const settings = new Map<string, string[]>();
  for (const line of readFileSync(`deploy/${name}.service`, 'utf8').split('\n')) {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) settings.set(key, [...(settings.get(key) ?? []), value]);
  }
  return settings;
}

/** Why programs cannot run with mounts of their own here. */
const whyNoMounts = ((): string | undefined => {
  const tried = spawnSync('unshare', ['-m', 'sh', '-c', 'mount --make-rprivate / && mount -o remount,bind,ro /']);
  if (tried.status !== 0) return 'this process may not mount';
  return process.cwd().startsWith(`${tmpdir()}/`)
    ? 'the program is in the temporary directory, which is hidden'
    : undefined;
})();
const mountedIt = whyNoMounts === undefined ? it : it.skip;
const named = (name: string): string => (whyNoMounts === undefined ? name : `${name} (skipped: ${whyNoMounts})`);

/** A program that was started by a unit. */
interface Started {
  /** Its first line. */
  readonly line: string;
  readonly url: string;
  /** What it has written to stderr. */
  readonly errors: () => string;
  stop(): Promise<number | null>;
}

describe('the units of systemd', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync('/var/tmp/troupe-unit-');
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** A path of a unit, below the root of this suite. */
  const at = (path: string): string => join(root, path);

  /** Runs ExecStart of a unit with its mounts and its environment. Without `writable` it gets no ReadWritePaths. */
  const start = async (name: (typeof UNITS)[number], words: readonly string[], writable = true): Promise<Started> => {
    const unit = readUnit(name);
    const all = (key: string): string[] => (unit.get(key) ?? []).flatMap((value) => value.split(' '));
    const state = all('StateDirectory').map((each) => `/var/lib/${each}`);
    const cache = all('CacheDirectory').map((each) => `/var/cache/${each}`);
    const written = [...state, ...cache, ...(writable ? all('ReadWritePaths') : [])].map(at);
    for (const path of [...written, at('/etc/troupe')]) mkdirSync(path, { recursive: true });
    const binds = written.map((path) => `mount --bind ${path} ${path}`);
    const script = [
      'mount --make-rprivate /',
      ...binds,
      'mount -o remount,bind,ro /',
      'mount -t tmpfs tmpfs /tmp',
      'exec "$@"',
    ];
    const environment = all('Environment').map((each) => each.replace('=/var/', `=${root}/var/`).split('='));
    const child = spawn(
      'unshare',
      ['-m', 'sh', '-c', script.join(' && '), 'sh', process.execPath, entryOf(name), ...words],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...Object.fromEntries(environment) },
      },
    );
    let errors = '';
    child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const line = await new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).once('line', resolve);
      void ended.then((code) => reject(new Error(`it ended with ${code}: ${errors}`)));
    });
    const stop = (): Promise<number | null> => {
      child.kill('SIGTERM');
      return ended;
    };
    return { line, url: line.replace('listening on ', ''), errors: () => errors, stop };
  };

  it.each(UNITS)('%s starts its own command with its file, as its own user, and gives it time to drain', (name) => {
    const unit = readUnit(name);
    const file = { 'native-engine': 'engine.json', 'private-gateway': 'gateway.yaml', 'hosted-api': 'hosted.yaml' }[
      name
    ];
    expect(unit.get('ExecStart')).toEqual([`/usr/bin/env ${name} serve --config /etc/troupe/${file}`]);
    expect([unit.get('User'), unit.get('ProtectSystem'), unit.get('LimitCORE')]).toEqual([
      ['troupe'],
      ['strict'],
      ['0'],
    ]);
    expect(Number(unit.get('TimeoutStopSec'))).toBeGreaterThan(30);
    // systemd's own reading, where it is installed.
    const verified = spawnSync('systemd-analyze', ['verify', `deploy/${name}.service`], { encoding: 'utf8' });
    if (codeOf(verified.error) !== 'ENOENT') expect(verified.stderr).not.toContain(`${name}.service:`);
  });

  mountedIt(named('the gateway serves, and its admin page saves the file, by the unit alone'), async () => {
    const config = at('/etc/troupe/gateway.yaml');
    mkdirSync(at('/etc/troupe'), { recursive: true });
    const text = `gateway_id: gw_unit\nlisten: 127.0.0.1:0\ndata_dir: ${at('/var/lib/private-gateway')}\nadmin: { enabled: true, port: 0 }\n`;
    writeFileSync(config, text, { mode: 0o600 });
    const made = await runCli(['admin-token', '--config', config], root, '', { entry: entryOf('private-gateway') });
    const [token = ''] = made.stdout.split('\n');
    for (const writable of [true, false]) {
      const started = await start('private-gateway', ['serve', '--config', config], writable);
      expect((await fetch(`${started.url}/health`)).status).toBe(200);
      await expect.poll(started.errors).toContain('admin page: ');
      const base = /admin page: (.*)/.exec(started.errors())?.[1] ?? '';
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const shown = await fetch(`${base}/admin/api/config`, { headers });
      const { etag } = (await shown.json()) as { readonly etag: string };
      const saved = await fetch(`${base}/admin/api/config`, {
        method: 'PUT',
        headers: { ...headers, 'if-match': etag },
        body: JSON.stringify({ text: `${text}# saved ${writable}\n` }),
      });
      expect([writable, saved.status]).toEqual([writable, writable ? 200 : 500]);
      expect(readFileSync(config, 'utf8')).toContain('# saved true');
      expect(await started.stop()).toBe(0);
    }
  });

  mountedIt(named('the hosted API keeps its books by the unit alone'), async () => {
    const config = at('/etc/troupe/hosted.yaml');
    mkdirSync(at('/etc/troupe'), { recursive: true });
    writeFileSync(at('/etc/troupe/secret'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
    const text = `listen: { port: 0 }\ndata_dir: ${at('/var/lib/hosted-api')}\nsecret: { file: ./secret }\n`;
    writeFileSync(config, text, { mode: 0o600 });
    const started = await start('hosted-api', ['serve', '--config', config]);
    expect((await fetch(`${started.url}/health`)).status).toBe(200);
    const created = await runCli(['accounts', 'create', '--config', config, '--name', 'Ann', '--json'], root, '', {
      entry: entryOf('hosted-api'),
    });
    expect(created).toMatchObject({ code: 0 });
    expect(await started.stop()).toBe(0);
  });

  mountedIt(named('the engine serves by the unit alone, in production and over HTTP'), async () => {
    const config = at('/etc/troupe/engine.json');
    mkdirSync(at('/etc/troupe'), { recursive: true });
    const file = {
      engine: { grpc_port: 0 },
      security: { mtls_required: false, allow_unsigned_dev: true },
      model: { artifact_path: demoDirectory() },
    };
    writeFileSync(config, JSON.stringify(file), { mode: 0o600 });
    const production = await start('native-engine', ['serve', '--config', config]);
    expect(production.line).toMatch(/^listening on grpc:\/\/127\.0\.0\.1:\d+$/);
    expect(await production.stop()).toBe(0);
    const http = await start('native-engine', ['serve', '--host', '127.0.0.1', '--port', '0']);
    const answered = await fetch(`${http.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hi' }], max_tokens: 4 }),
    });
    expect(answered.status).toBe(200);
    expect(await http.stop()).toBe(0);
  });
});
