// URLs of runtimes: none may lead to an address that is never contacted, however it is written.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identifyUrl, resolveTarget, type ContactRules } from '../../src/gateway/index.js';
import { imitations } from './imitations/index.js';
import { CALM, endAll } from './imitations/scanning.js';
import { serveImitation, type Served } from './imitations/serve.js';

/** Ways to write 169.254.169.254 and 0.0.0.0, and addresses that mean the same. */
const FORBIDDEN = [
  'http://169.254.169.254/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0xA9.0xFE.0xA9.0xFE/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://169.16689662/',
  'http://169.254.169.254./',
  'http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/',
  'http://169。254。169。254/',
  'http:\\\\169.254.169.254\\',
  'http:/169.254.169.254',
  'http:169.254.169.254',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[2002:a9fe:a9fe::]/',
  'http://[::a9fe:a9fe]/',
  'http://[fe80::1]/',
  'http://[ff02::1]/',
  'http://[::]/',
  'http://[fd00:ec2::254]/',
  'http://0.0.0.0/',
  'http://0/',
  'http://00000000/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://100.100.100.200/',
  'http://8.8.8.8/',
  'http://134744072/',
  'http://[2606:4700::1111]/',
];
const NO_URLS = [
  '',
  'x',
  '127.0.0.1:8000',
  '//127.0.0.1/',
  'https://127.0.0.1/',
  'file:///etc/passwd',
  'unix:/var/run/docker.sock',
  'gopher://127.0.0.1/',
  'javascript:1',
  'data:,x',
  'http://user@127.0.0.1/',
  'http://user:password@127.0.0.1/',
  'http://127.0.0.1:80@169.254.169.254/',
  'http://127.0.0.1/?x=1',
  'http://127.0.0.1/#x',
  'http://[fe80::1%25eth0]/',
  'http://127.0.0.1:99999/',
  'http://exa mple/',
  'http://[::1/',
];
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'lan.test': ['10.0.0.7'],
  'metadata.test': ['169.254.169.254'],
  'mixed.test': ['10.0.0.7', '169.254.169.254'],
  'public.test': ['8.8.8.8'],
  'zone.test': ['fe80::1%eth0'],
  'mapped.test': ['::ffff:169.254.169.254'],
};
const resolve = async (name: string): Promise<readonly string[]> => NAMES[name] ?? [];
const targetOf = (url: string, rules: ContactRules = {}): ReturnType<typeof resolveTarget> => {
  return resolveTarget(url, { interfaces: {}, ...rules }, resolve);
};
const refused = { code: 'runtime_url_refused' };

describe('the URL of a runtime', () => {
  it.each([...FORBIDDEN, ...NO_URLS])('is refused: %s', async (url) => {
    await expect(targetOf(url)).rejects.toMatchObject(refused);
  });

  it.each(FORBIDDEN)('is refused with every port and path too: %s', async (url) => {
    const { hostname } = new URL(url);
    await expect(targetOf(`http://${hostname}:11434/v1`)).rejects.toMatchObject(refused);
  });

  it.each([
    'metadata.test',
    'mixed.test',
    'public.test',
    'zone.test',
    'mapped.test',
    'METADATA.test',
    'metadata.test:80',
  ])('is refused where one address of its name is: %s', async (host) => {
    const name = host.toLowerCase();
    await expect(targetOf(`http://${name}/`)).rejects.toMatchObject(refused);
  });

  it.each([
    ['http://127.0.0.1:11434', { address: '127.0.0.1', port: 11_434, authority: '127.0.0.1:11434' }],
    ['http://2130706433:1', { address: '127.0.0.1', port: 1, authority: '127.0.0.1:1' }],
    ['http://[::1]/v1/', { address: '::1', port: 80, authority: '[::1]:80' }],
    ['http://lan.test:8000/engines', { address: '10.0.0.7', port: 8_000, authority: 'lan.test:8000' }],
    ['HTTP://LAN.test', { address: '10.0.0.7', port: 80, authority: 'lan.test:80' }],
  ])('leads to one address: %s', async (url, target) => {
    expect(await targetOf(url)).toEqual(target);
  });

  it('leads to a public address only where that is allowed, and never to a listener of our own', async () => {
    expect(await targetOf('http://public.test/', { allowPublic: true })).toMatchObject({ address: '8.8.8.8' });
    await expect(targetOf('http://metadata.test/', { allowPublic: true })).rejects.toMatchObject(refused);
    const own = [{ host: '127.0.0.1', port: 9_440 }];
    await expect(targetOf('http://127.0.0.1:9440', { own })).rejects.toThrow("it is this gateway's own listener");
  });

  it('has an address', async () => {
    await expect(targetOf('http://nowhere.test/')).rejects.toMatchObject({ code: 'runtime_unresolved' });
  });
});

describe('a runtime by its URL', () => {
  const servers: Served[] = [];
  beforeAll(async () => void servers.push(await serveImitation(imitations.vllm)));
  afterAll(() => endAll(servers));

  it('is resolved once, and asked at that address under its own name', async () => {
    const [served] = servers;
    let numLookups = 0;
    const finding = await identifyUrl(`http://vllm.test:${served?.port}`, {
      limits: CALM,
      // What a name that is rebound would answer the next time.
      resolve: async () => (numLookups++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']),
    });
    expect(finding).toMatchObject({ kind: 'vllm', state: 'found', url: `http://vllm.test:${served?.port}` });
    expect(numLookups).toBe(1);
    expect(new Set(served?.asked.map(({ headers }) => headers.host))).toEqual(new Set([`vllm.test:${served?.port}`]));
  });

  it('is skipped where nothing listens', async () => {
    const gone = await serveImitation(imitations.vllm);
    await gone[Symbol.asyncDispose]();
    expect(await identifyUrl(gone.url, { limits: CALM })).toMatchObject({
      state: 'skipped',
      reason: 'nothing listens there',
    });
  });
});
