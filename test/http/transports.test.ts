import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { listen, readBody, type ListenOptions } from '../../src/http/index.js';
import { transports } from '../../src/http/transports/index.js';
import { hasUws, openRaw, start, toErrorResponse, uwsDirectory } from './over-transports.js';

const root = mkdtempSync(join(tmpdir(), 'transports-'));
afterAll(() => rmSync(root, { recursive: true }));

/** A package uWebSockets.js of `version`, whose functions are those that the tests have. */
function packageOf(name: string, version: string): string {
  const directory = join(root, `${name}-${version}`);
  mkdirSync(directory);
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name, version, exports: { import: './index.mjs' } }));
  const real = pathToFileURL(join(uwsDirectory, 'dist/index.mjs')).href;
  writeFileSync(join(directory, 'index.mjs'), `export * from ${JSON.stringify(real)};`);
  return directory;
}

const options = (changed: Partial<ListenOptions>): ListenOptions => ({
  host: '127.0.0.1',
  port: 0,
  transport: 'auto',
  handler: () => readBody(async () => ({ status: 200 })),
  toErrorResponse,
  log: () => {},
  ...changed,
});
const nowhere = join(root, 'nowhere');

describe('transports', () => {
  it('are node and uws', () => {
    expect(Object.keys(transports)).toEqual(['node', 'uws']);
  });

  it('auto takes node where uWebSockets.js is not installed', async () => {
    await using listener = await listen(options({ uwsDirectory: nowhere }));
    expect(listener.transport).toBe('node');
  });

  it('uws says how to install it where it is not', async () => {
    await expect(listen(options({ transport: 'uws', uwsDirectory: nowhere }))).rejects.toMatchObject({
      code: 'transport_unavailable',
      message: expect.stringContaining('npm install github:uNetworking/uWebSockets.js#v20.66.0'),
    });
  });

  it('uws says so where the package does not run on this Node', async () => {
    const broken = join(root, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'package.json'), '{"name":"uWebSockets.js","version":"20.66.0","main":"gone.js"}');
    await expect(listen(options({ transport: 'uws', uwsDirectory: broken }))).rejects.toMatchObject({
      code: 'transport_unavailable',
      message: expect.stringContaining(`Node ${process.version}`),
    });
    await using listener = await listen(options({ uwsDirectory: broken }));
    expect(listener.transport).toBe('node');
  });

  it.runIf(hasUws)('auto takes uws in a safe version only, and never a repack, whatever its number', async () => {
    const taken = async (name: string, version: string): Promise<string> => {
      await using listener = await listen(options({ uwsDirectory: packageOf(name, version) }));
      return listener.transport;
    };
    expect(await taken('uWebSockets.js', '20.66.0')).toBe('uws');
    expect(await taken('uWebSockets.js', '20.64.0')).toBe('uws');
    expect(await taken('uWebSockets.js', '21.0.0')).toBe('uws');
    expect(await taken('uWebSockets.js', '20.63.9')).toBe('node');
    expect(await taken('uws-pack', '20.99.0')).toBe('node');
  });

  it.runIf(hasUws)('uws in an old version serves this machine only', async () => {
    await expect(listen(options({ transport: 'uws', uwsDirectory, host: '0.0.0.0' }))).rejects.toMatchObject({
      code: 'transport_unsafe',
      message: expect.stringContaining('0.0.0.0'),
    });
    await using listener = await listen(options({ transport: 'uws', uwsDirectory }));
    expect(listener.transport).toBe('uws');
    const safe = packageOf('uWebSockets.js', '20.65.0');
    await using open = await listen(options({ transport: 'uws', uwsDirectory: safe, host: '0.0.0.0' }));
    expect(open.transport).toBe('uws');
  });
});

describe('the node transport', () => {
  it('tells what its parser refuses, and counts it', async () => {
    await using server = await start('node', async () => ({ status: 200 }));
    const answers = await Promise.all(
      ['GARBAGE\r\n\r\n', `GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`].map(async (bytes) => {
        using client = openRaw(server.port);
        client.send(bytes);
        return await client.closed;
      }),
    );
    expect(answers.map((answer) => answer.slice(0, 12))).toEqual(['HTTP/1.1 400', 'HTTP/1.1 431']);
    expect(server.listener.stats().refused).toEqual({ request_malformed: 1, headers_too_large: 1 });
  });

  it('speaks HTTP/1.0 to those who do, without chunks', async () => {
    const body = async function* (): AsyncIterable<string> {
      yield 'one';
      yield 'two';
    };
    await using server = await start('node', async () => ({ status: 200, body: body() }));
    using client = openRaw(server.port);
    client.send(`GET / HTTP/1.0\r\nHost: localhost:${server.port}\r\n\r\n`);
    expect(await client.closed).toMatch(/^HTTP\/1\.1 200 (?:(?!chunked)[^])*onetwo$/);
  });

  it('closes a connection that pipelines without bound', async () => {
    const waiting: (() => void)[] = [];
    const limits = { pipelined: 3 };
    await using server = await start(
      'node',
      () => new Promise((resolve) => waiting.push(() => resolve({ status: 200 }))),
      { limits },
    );
    using client = openRaw(server.port);
    client.send(`GET / HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`.repeat(10));
    expect(await client.closed).toBe('');
    expect(waiting).toHaveLength(1);
  });
});
