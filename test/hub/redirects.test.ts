// Where a hub may lead (S9). One at a public address is imitated by a name that a proxy knows: this machine has no such address.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHub, readHubSettings, type Environment } from '../../src/hub/index.js';
import { startProxy, type ConnectProxy } from '../support/hub/connect-proxy.js';
import { commitOf, contentOf, type Repository } from '../support/hub/repository.js';
import { steppingClock } from '../support/hub/stepping-clock.js';
import { startHub, type TestHub } from '../support/hub/test-hub.js';

const repository: Repository = {
  id: 'org/model',
  files: new Map([['model.gguf', contentOf(Buffer.alloc(200_000, 7))]]),
};

let hub: TestHub;
let proxy: ConnectProxy;
let honeypot: Server;
let touched: string[];
let directory: string;
beforeEach(async () => {
  hub = await startHub([repository]);
  touched = [];
  honeypot = createServer((request, response) => {
    touched.push(`${request.method} ${request.url}`);
    response.end('secret');
  });
  honeypot.listen(0, '127.0.0.1');
  await once(honeypot, 'listening');
  const portOf = (url: string): number => Number(new URL(url).port);
  proxy = await startProxy(
    new Map([
      ['hub.example', portOf(hub.url)],
      ['storage.example', portOf(hub.storageUrl)],
    ]),
  );
  directory = mkdtempSync(join(tmpdir(), 'redirects-'));
});
afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
  honeypot.close();
  rmSync(directory, { recursive: true });
});

async function download(env: Environment): Promise<void> {
  const settings = await readHubSettings({ HF_HUB_DISABLE_IMPLICIT_TOKEN: '1', ...env });
  await using asked = openHub(settings, { clock: steppingClock() });
  const commit = commitOf(repository);
  const [file] = await asked.listFiles('org/model', commit);
  const { done } = await asked.fetchFile({
    repo: 'org/model',
    commit,
    file: file ?? expect.fail('a file'),
    path: join(directory, 'file'),
    signal: new AbortController().signal,
  });
  await done;
}

const asPublic = (more: Environment = {}): Environment => ({
  HF_ENDPOINT: 'http://hub.example',
  http_proxy: proxy.url.replace('//', '//user:pass%20word@'),
  ...more,
});
const honeypotPort = (): number => (honeypot.address() as AddressInfo).port;

describe('a hub behind a proxy', () => {
  it('is downloaded from through its tunnels, with the credentials of the proxy for it alone', async () => {
    hub.linkOrigin = 'http://storage.example';
    await download(asPublic({ HF_TOKEN: hub.token }));
    expect(new Set(proxy.asked.map(({ authority }) => authority))).toEqual(
      new Set(['hub.example:80', 'storage.example:80']),
    );
    const basic = `Basic ${Buffer.from('user:pass word').toString('base64')}`;
    expect(proxy.asked.every(({ authorization }) => authorization === basic)).toBe(true);
    expect(
      hub.seen.filter(({ server }) => server === 'storage').every(({ authorization }) => authorization === undefined),
    ).toBe(true);
  });

  it('that refuses a tunnel is reported as such', async () => {
    await expect(download(asPublic({ HF_ENDPOINT: 'http://other.example' }))).rejects.toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringContaining('the proxy refuses the tunnel'),
    });
  });
});

describe('a public hub that redirects', () => {
  const inside = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '10.0.0.1',
    '192.168.1.1',
  ];
  const forbidden = ['169.254.169.254', '[fd00:ec2::254]', '0.0.0.0', '100.100.100.200', 'metadata.internal'];

  it.each([...inside, ...forbidden])('to %s is not followed, through a proxy or directly', async (host) => {
    hub.linkOrigin = `http://${host}:${honeypotPort()}`;
    for (const none of ['', '127.0.0.1,localhost,::1,10.0.0.1,192.168.1.1,169.254.169.254,0.0.0.0']) {
      await expect(download(asPublic({ NO_PROXY: none }))).rejects.toMatchObject({ code: 'hub_redirect_refused' });
    }
    expect(touched).toEqual([]);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://storage.example/x',
    'unix:/run/docker.sock',
    'http://user:pass@storage.example',
  ])('to %s is not followed', async (target) => {
    hub.linkOrigin = target;
    await expect(download(asPublic())).rejects.toMatchObject({
      code: expect.stringMatching(/^hub_(redirect_refused|answer_invalid)$/),
    });
    expect(touched).toEqual([]);
  });

  it('without an end is given up', async () => {
    hub.api = (request, response) => {
      if (!request.url?.includes('/api/')) return false;
      response.writeHead(307, { location: `${request.url}x` }).end();
      return true;
    };
    await expect(download(asPublic())).rejects.toMatchObject({ code: 'hub_answer_invalid' });
    expect(hub.seen.length).toBeLessThan(10);
  });
});

describe('a hub of this machine', () => {
  it('may lead to others of it, but to no address of a cloud’s credentials', async () => {
    await download({ HF_ENDPOINT: hub.url });
    hub.linkOrigin = `http://169.254.169.254:${honeypotPort()}`;
    rmSync(join(directory, 'file'));
    await expect(download({ HF_ENDPOINT: hub.url })).rejects.toMatchObject({ code: 'hub_redirect_refused' });
  });
});
