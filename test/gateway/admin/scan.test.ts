// A scan over the admin API, as its page does it: a /22 with a real engine, imitations and impostors; stopped in the
// middle; and the requests that servers without approval see.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runtimeKinds } from '../../../src/gateway/index.js';
import { startServing, type Serving } from '../../server/serving.js';
import { impostors } from '../imitations/impostors.js';
import { imitations } from '../imitations/index.js';
import { endAll } from '../imitations/scanning.js';
import { serveImitation, serveTcp, type Served } from '../imitations/serve.js';
import { readEvents, startAdmin, type Page, type StartedAdmin } from './start-admin.js';
import { SOON } from '../../support/start-product.js';
import { slowness } from '../../support/elapsed.js';

interface Finding {
  readonly url: string;
  readonly kind: string | null;
  readonly state: string;
  readonly novelty: string | null;
}
interface Scan {
  readonly id: string;
  readonly state: string;
  readonly findings: readonly Finding[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Some impostors take all of it: they say nothing, or do not end. */
const TIMEOUT_S = 8;
/** The most that the API takes. */
const MOST_S = 60;
const SCAN = { timeout: 120_000, interval: 100 };

let engine: Serving;
let admin: StartedAdmin;
let page: Page;
let ollama: Served;
let other: Served;
let imitators: readonly Served[];
/** Servers without approval. */
const strangers = (): readonly Served[] => [other, ...imitators];

beforeAll(async () => {
  engine = await startServing();
  ollama = await serveImitation(imitations.ollama);
  // The same port on another address of this machine.
  other = await serveImitation(imitations['llama.cpp'], ollama.port, '127.0.3.77');
  imitators = await Promise.all(Object.values(impostors).map((serve) => serve()));
  admin = await startAdmin();
  page = await admin.signIn();
});

afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await endAll([ollama, ...strangers()]);
  await engine[Symbol.asyncDispose]();
});

const ports = (): number[] => [engine.server.port, ollama.port, ...imitators.map(({ port }) => port)];
const start = async (body: object): Promise<Scan> => {
  const timeoutS = Math.min(MOST_S, Math.ceil(TIMEOUT_S * slowness()));
  const got = await page.ask('POST', '/admin/api/scans', { body: { timeout_s: timeoutS, ...body } });
  expect([got.status, got.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  return (got.json as { scan: Scan }).scan;
};
const show = async ({ id }: Scan): Promise<Scan> =>
  ((await page.ask('GET', `/admin/api/scans/${id}`)).json as { scan: Scan }).scan;

describe('a scan of 127.0.0.0/22', () => {
  let scan: Scan;

  it('finds what is there by what it proves, is not fooled by impostors, and reports it as it happens', async () => {
    scan = await start({ range: '127.0.0.0/22', ports: ports() });
    const types = new Map<string, number>();
    const told: Finding[] = [];
    for await (const event of readEvents(admin.adminPort, `/admin/api/scans/${scan.id}/events`, page.headers)) {
      types.set(String(event['type']), (types.get(String(event['type'])) ?? 0) + 1);
      if (event['type'] === 'finding') told.push(event['finding'] as Finding);
    }
    expect([types.get('end'), (types.get('progress') ?? 0) > 0]).toEqual([1, true]);
    const done = await show(scan);
    expect(done).toMatchObject({
      state: 'done',
      counts: { endpoints: 1_022 * ports().length, tried: 1_022 * ports().length },
    });
    expect(told).toEqual(done.findings);
    const usable = done.findings.filter(({ novelty }) => novelty !== null);
    expect(new Map(usable.map(({ kind, url }) => [url, kind]))).toEqual(
      new Map([
        [engine.url, 'native-engine'],
        [ollama.url, 'ollama'],
        [other.url, 'llama.cpp'],
      ]),
    );
    for (const { url } of imitators) {
      const found = done.findings.find((finding) => finding.url === url);
      expect([url, ['skipped', 'impostor', undefined].includes(found?.state)]).toEqual([url, true]);
    }
  });

  it('imports what is ticked and nothing else, which is served at once', async () => {
    const etag = async (): Promise<string> =>
      ((await page.ask('GET', '/admin/api/config')).json as { etag: string }).etag;
    const take = async (urls: readonly string[], read?: string) =>
      page.ask('POST', `/admin/api/scans/${scan.id}/import`, {
        body: { urls },
        headers: { 'if-match': read ?? (await etag()) },
      });
    for (const urls of [['http://127.0.0.1:1'], [imitators[0]?.url ?? ''], [`${ollama.url}/v1`]]) {
      expect([urls[0], (await take(urls)).status]).toEqual([urls[0], 400]);
    }
    expect((await take([ollama.url], 'old')).status).toBe(412);
    const got = await take([ollama.url, engine.url]);
    expect(got.json).toMatchObject({ in_use: true, left_out: 0, runtimes: ['ollama', 'native-engine'] });
    const runtimes = (await page.ask('GET', '/admin/api/runtimes')).json as {
      data: { id: string; base_url: string }[];
    };
    expect(runtimes.data.map(({ base_url }) => base_url)).toEqual([ollama.url, engine.url]);
    const again = await show(scan);
    expect(again.findings.find(({ url }) => url === ollama.url)?.novelty).toBe('known');
    expect(again.findings.find(({ url }) => url === other.url)?.novelty).toBe('new');
    const tried = await page.ask('POST', '/admin/api/models/demo/try', { body: { message: 'Hello', max_tokens: 4 } });
    expect(tried.json).toMatchObject({ status: 200, runtime: 'native-engine' });
  });

  it('stops in the middle, with every connection that it had', async () => {
    const silent = await serveTcp(() => {});
    const stopped = await start({ range: '127.0.0.0/22', ports: [silent.port, ...ports()] });
    const busy = await page.ask('POST', '/admin/api/scans', { body: {} });
    expect([busy.status, busy.text.includes('scan_busy')]).toEqual([409, true]);
    await expect.poll(() => silent.numConnections(), SOON).toBeGreaterThan(0);
    const cancelled = (await page.ask('DELETE', `/admin/api/scans/${stopped.id}`)).json as { scan: Scan };
    const { endpoints = 0, tried = 0 } = cancelled.scan.counts;
    expect([cancelled.scan.state, tried < endpoints]).toEqual(['cancelled', true]);
    const before = strangers().map(({ numConnections }) => numConnections());
    expect((await show(stopped)).counts).toEqual(cancelled.scan.counts);
    expect(strangers().map(({ numConnections }) => numConnections())).toEqual(before);
    await silent[Symbol.asyncDispose]();
  });

  it('has shown itself to strangers by the GETs of discovery alone, without a credential', () => {
    const kinds = Object.values<{ probes: readonly string[]; costlyProbes?: readonly string[] }>(runtimeKinds);
    const probes = new Set(kinds.flatMap((kind) => [...kind.probes, ...(kind.costlyProbes ?? [])]));
    let seen = 0;
    for (const { asked } of strangers()) {
      for (const { method, path, headers } of asked) {
        expect([method, probes.has(path), path]).toEqual(['GET', true, path]);
        for (const name of ['authorization', 'cookie', 'x-api-key']) expect(headers[name]).toBeUndefined();
        seen++;
      }
    }
    expect(seen).toBeGreaterThan(10);
  });
});

it('is refused for ranges that no operator may scan', async () => {
  for (const [body, status] of [
    [{ range: '10.0.0.0/21' }, 400],
    [{ range: '8.8.8.8' }, 403],
    [{ range: '169.254.169.254' }, 403],
    [{ range: '224.0.0.1' }, 403],
    [{ range: 'localhost' }, 400],
    [{ range: '127.0.0.1', ports: [0] }, 400],
    [{ ports: [] }, 400],
    [{ rang: '127.0.0.1' }, 400],
  ] as const) {
    expect([JSON.stringify(body), (await page.ask('POST', '/admin/api/scans', { body })).status]).toEqual([
      JSON.stringify(body),
      status,
    ]);
  }
  // Its own listeners are never contacted.
  const own = await start({ range: '127.0.0.1', ports: [admin.adminPort, admin.started.port] });
  await expect.poll(async () => (await show(own)).state, SCAN).toBe('done');
  expect((await show(own)).counts).toMatchObject({ endpoints: 0, excluded: 2 });
});

describe('a runtime that has become another', () => {
  it('gets no request until what is there now was seen and approved', async () => {
    const first = await serveImitation(imitations.ollama);
    await using changing = await startAdmin({
      runtimes: [{ id: 'r', kind: 'ollama', base_url: first.url, fingerprint: '1:ollama:-' }],
      models: [{ id: 'm', targets: [{ runtime: 'r', model: 'm' }] }],
    });
    const state = async () =>
      (await changing.script('GET', '/admin/api/runtimes')).json as { data: object[]; config_etag: string };
    expect((await state()).data[0]).toMatchObject({ healthy: true, trouble: null });
    await first[Symbol.asyncDispose]();
    await using second = await serveImitation(imitations['llama.cpp'], first.port);
    const checked = await changing.script('POST', '/admin/api/runtimes/r/check');
    expect(checked.json).toMatchObject({
      finding: { kind: 'llama.cpp' },
      change: 'its kind was ollama and is now llama.cpp',
    });
    const { fingerprint } = (checked.json as { finding: { fingerprint: string } }).finding;
    const approve = async (body: object) =>
      changing.script('POST', '/admin/api/runtimes/r/approve', {
        body,
        headers: { 'if-match': (await state()).config_etag },
      });
    expect((await approve({ fingerprint: '1:vllm:-' })).status).toBe(412);
    expect((await approve({ fingerprint })).json).toMatchObject({ in_use: true });
    expect((await state()).data[0]).toMatchObject({ kind: 'llama.cpp', fingerprint });
    const entry = changing.started.meter.audit.read({ limit: 50 }).find(({ action }) => action === 'runtime.approve');
    expect(entry?.diff).toContain(fingerprint);
    expect(second.asked.every(({ method }) => method === 'GET')).toBe(true);
  });
});
