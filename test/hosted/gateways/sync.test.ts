import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { Connected } from '../../../src/hosted/service/open-connected.js';
import { SERVICE_ID_HEADER } from '../../../src/hosted/sync/fetch-models.js';
import { toServiceKeys } from '../../../src/hosted/service/service-keys.js';
import { eventually } from '../../support/eventually.js';
import { allDatabases, type TestDatabases } from '../../support/test-databases.js';
import { bodyOf, listOf, startListing, type Answer } from './listing-server.js';
import { openTestConnected, SECRET } from './open-test-connected.js';

const modelsOf = (connected: Connected, slug: string): readonly string[] => [
  ...(connected.directory.find(slug)?.models ?? []),
];
/** Looks until no gateway is being asked. */
async function syncAll({ sync, directory }: Connected): Promise<void> {
  // Shards are taken a few at a time.
  for (let i = 0; i < 6; i++) {
    await sync.look();
    await eventually(() => sync.running).toBe(0);
  }
  await directory.refresh();
}

const BREAKS_OFF: Answer = (response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{');
  response.destroy();
};

function suite(databases: TestDatabases): void {
  afterAll(() => databases.close());

  it('reads the models of a gateway with its credential, and offers them', async () => {
    await using gateway = await startListing(listOf('llama3', 'qwen/qwen3:8b'));
    await using test = await openTestConnected(databases);
    const { connected } = test;
    await test.add({ slug: 'berlin', baseUrl: gateway.url, credential: 'gwk_secret' });
    expect(modelsOf(connected, 'berlin')).toEqual([]);
    await syncAll(connected);
    expect(gateway.seen).toEqual([{ url: '/v1/models', authorization: 'Bearer gwk_secret', etag: undefined }]);
    expect(modelsOf(connected, 'berlin')).toEqual(['llama3', 'qwen/qwen3:8b']);
    expect(connected.directory.find('berlin')).toMatchObject({
      provider: 'pgw/berlin',
      baseUrl: gateway.url,
      credential: 'gwk_secret',
      staleSinceMs: undefined,
    });
    expect(connected.directory.find('nobody')).toBeUndefined();
  });

  it('sends any string where a gateway has no authentication, and offers only what the operator named', async () => {
    await using gateway = await startListing(listOf('a', 'b', 'c'));
    await using test = await openTestConnected(databases);
    await test.add({ slug: 'lab', baseUrl: `${gateway.url}/v1/`.replace(/\/v1\/$/, ''), offer: ['b', 'gone'] });
    await syncAll(test.connected);
    expect(gateway.seen[0]?.authorization).toMatch(/^Bearer \S+$/);
    expect(modelsOf(test.connected, 'lab')).toEqual(['b']);
  });

  it('asks again after the interval, with the etag, and takes 304 for the same list', async () => {
    await using gateway = await startListing((response, request) => {
      if (request.headers['if-none-match'] === '"v1"') return void response.writeHead(304).end();
      response.setHeader('etag', '"v1"');
      listOf('m')(response, request);
    });
    await using test = await openTestConnected(databases);
    await test.add({ slug: 'berlin', baseUrl: gateway.url });
    await syncAll(test.connected);
    test.wall.ms += 299_000;
    await syncAll(test.connected);
    expect(gateway.seen.length).toBe(1);
    test.wall.ms += 1_000;
    await syncAll(test.connected);
    expect(gateway.seen.map(({ etag }) => etag)).toEqual([undefined, '"v1"']);
    expect(modelsOf(test.connected, 'berlin')).toEqual(['m']);
    test.wall.ms += 300_000;
    await syncAll(test.connected);
    expect(gateway.seen.map(({ etag }) => etag)).toEqual([undefined, '"v1"', '"v1"']);
  });

  it('keeps the last good list of a gateway that fails, with since when, and drops a model that it lists no more', async () => {
    await using gateway = await startListing(listOf('a', 'b'));
    await using test = await openTestConnected(databases);
    const { connected, wall } = test;
    await test.add({ slug: 'berlin', baseUrl: gateway.url });
    await syncAll(connected);
    gateway.answer = bodyOf('out of order', {}, 503);
    wall.ms += 300_000;
    const failedAtMs = wall.ms;
    await syncAll(connected);
    expect(modelsOf(connected, 'berlin')).toEqual(['a', 'b']);
    expect(connected.directory.find('berlin')?.staleSinceMs).toBe(failedAtMs);
    wall.ms += 300_000;
    await syncAll(connected);
    const { sync } = await connected.store.get('berlin');
    expect(sync).toMatchObject({
      staleSinceMs: failedAtMs,
      failures: 2,
      lastError: 'GET /v1/models has the status 503',
    });
    gateway.answer = listOf('b');
    wall.ms += 300_000;
    await syncAll(connected);
    expect(modelsOf(connected, 'berlin')).toEqual(['b']);
    expect(connected.directory.find('berlin')?.staleSinceMs).toBeUndefined();
    expect(test.entries.map(({ event }) => event)).toEqual(['gateway stale', 'gateway back']);
  });

  const id = (n: number): string => JSON.stringify({ id: `model-${n}` });
  it.each([
    ['a status', bodyOf('no', {}, 401), /has the status 401; see that its credential is right/],
    ['a redirect', bodyOf('', { location: 'http://169.254.169.254/' }, 302), /redirects are not followed/],
    ['no JSON', bodyOf('<html>'), /is not JSON/],
    ['no list', bodyOf('{"models":[]}'), /has no data/],
    ['a list that is none', bodyOf('{"data":{"id":"a"}}'), /its data is no array/],
    ['too many bytes', bodyOf(`{"data":[],"x":"${'a'.repeat(1_100_000)}"}`), /has more than 1048576 bytes/],
    [
      'too many models',
      bodyOf(`{"data":[${Array.from({ length: 1_001 }, (_, i) => id(i)).join(',')}]}`),
      /limit is 1000/,
    ],
    ['too deep a list', bodyOf(`{"data":${'['.repeat(50)}${']'.repeat(50)}}`), /deep|nest|level/i],
    ['repeated keys', bodyOf('{"data":[],"data":[]}'), /repeats a key/],
    ['a compressed list', bodyOf(gzipSync('{"data":[]}'), { 'content-encoding': 'gzip' }), /is compressed/],
    ['an end in the middle', BREAKS_OFF, /closed/],
  ])('fails on %s, and changes nothing', async (_, answer, reason) => {
    await using gateway = await startListing(listOf('a'));
    await using test = await openTestConnected(databases);
    const { connected } = test;
    await test.add({ slug: 'berlin', baseUrl: gateway.url });
    await connected.sync.syncNow('berlin');
    gateway.answer = answer;
    await expect(connected.sync.syncNow('berlin')).rejects.toMatchObject({
      code: 'gateway_sync_failed',
      message: expect.stringMatching(reason) as string,
    });
    await connected.directory.refresh();
    expect(modelsOf(connected, 'berlin')).toEqual(['a']);
  });

  it('leaves out entries whose ids no client could send, and takes null for an empty list', async () => {
    const wrong = ['""', '"a b"', '"a\\n"', '"\\u200b"', `"${'x'.repeat(201)}"`, '7', 'null'];
    const entries = wrong.map((text) => `{"id":${text}}`);
    await using gateway = await startListing(
      bodyOf(`{"data":[null,1,"x",{},${entries.join(',')},{"id":"ok","max_model_len":4096},{"id":"ok"}]}`),
    );
    await using test = await openTestConnected(databases);
    await test.add({ slug: 'berlin', baseUrl: gateway.url });
    const { sync } = await test.connected.sync.syncNow('berlin');
    expect(sync.models).toEqual([{ id: 'ok', created: 0, contextLength: 4_096 }]);
    gateway.answer = bodyOf('{"object":"list","data":null}');
    expect((await test.connected.sync.syncNow('berlin')).sync.models).toEqual([]);
  });

  it('refuses a list that comes from this service itself', async () => {
    const { serviceId } = toServiceKeys(Buffer.from(SECRET));
    await using gateway = await startListing(bodyOf('{"data":[]}', { [SERVICE_ID_HEADER]: serviceId }));
    await using test = await openTestConnected(databases);
    await test.add({ slug: 'loop', baseUrl: gateway.url });
    await expect(test.connected.sync.syncNow('loop')).rejects.toMatchObject({
      message: expect.stringContaining('the gateway would be a loop') as string,
    });
  });

  it('sends nothing to an address that is not allowed any more', async () => {
    await using gateway = await startListing(listOf('a'));
    await using test = await openTestConnected(databases);
    await test.add({ slug: 'berlin', baseUrl: gateway.url });
    await using strict = await test.another({ allowPrivate: [] });
    await expect(strict.sync.syncNow('berlin')).rejects.toMatchObject({
      message: expect.stringContaining('is a loopback address') as string,
    });
    expect(gateway.seen).toEqual([]);
  });

  it('writes nothing under a lease that another node has taken meanwhile, nor of a target that was replaced', async () => {
    await using gateway = await startListing(listOf('a'));
    await using test = await openTestConnected(databases);
    const { store } = test.connected;
    await test.add({ slug: 'berlin', baseUrl: gateway.url });
    const before = await store.get('berlin');
    const nextAtMs = test.wall.ms;
    const found = (name: string) => ({ models: [{ id: name, created: 0 }], nextAtMs });
    expect(await store.writeSync(before, found('new'), 8n)).toBe(true);
    expect(await store.writeSync(before, found('late'), 7n)).toBe(false);
    await store.add({ ...before, credential: '', baseUrl: 'http://127.0.0.1:1' }, 'test', true);
    expect(await store.writeSync(before, found('of the old one'), 9n)).toBe(false);
    expect((await store.get('berlin')).sync.models).toEqual([]);
  });

  it('tells another node of every change', async () => {
    await using gateway = await startListing(listOf('a'));
    await using test = await openTestConnected(databases);
    await using other = await test.another();
    await test.add({ slug: 'berlin', baseUrl: gateway.url });
    await test.connected.sync.syncNow('berlin');
    await eventually(() => modelsOf(other, 'berlin')).toEqual(['a']);
    await test.connected.store.setState('berlin', 'disabled', 'test');
    await eventually(() => other.directory.find('berlin')).toBeUndefined();
    await test.connected.store.setState('berlin', 'active', 'test');
    await eventually(() => modelsOf(other, 'berlin')).toEqual(['a']);
    await test.connected.store.remove('berlin', 'test');
    await eventually(() => other.directory.find('berlin')).toBeUndefined();
    await expect(other.store.get('berlin')).rejects.toMatchObject({ code: 'gateway_unknown' });
  });

  it('keeps credentials sealed, and does not serve a gateway whose credential another secret sealed', async () => {
    await using test = await openTestConnected(databases);
    await test.add({ slug: 'berlin', baseUrl: 'http://127.0.0.1:1', credential: 'gwk_a_secret' });
    await test.add({ slug: 'lab', baseUrl: 'http://127.0.0.1:1' });
    const rows = await test.database.all('SELECT * FROM connected_gateway');
    expect(JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain(
      'gwk_a',
    );
    await using other = await test.another({ secret: `${SECRET}, another one` });
    expect(other.directory.all().map(({ slug }) => slug)).toEqual(['lab']);
    // Sealed for one gateway, it opens under no other slug.
    await test.database.run(
      "UPDATE connected_gateway SET credential = (SELECT credential FROM connected_gateway WHERE slug = 'berlin'), revision = 9 WHERE slug = 'lab'",
    );
    await test.connected.directory.refresh();
    expect(test.connected.directory.all().map(({ slug }) => slug)).toEqual(['berlin']);
  });

  it('has every change in the audit log, and refuses a slug that is in use or cannot be one', async () => {
    await using test = await openTestConnected(databases);
    const { store } = test.connected;
    const gateway = {
      slug: 'berlin',
      name: 'Berlin',
      baseUrl: 'http://127.0.0.1:1',
      credential: 'x',
      offer: 'all',
      metering: 'inject',
    } as const;
    await store.add(gateway, 'cli');
    await expect(store.add(gateway, 'cli')).rejects.toMatchObject({ code: 'gateway_exists' });
    await store.add(gateway, 'cli', true);
    await store.setState('berlin', 'disabled', 'cli');
    await store.remove('berlin', 'cli');
    await store.add(gateway, 'cli');
    for (const slug of ['', 'ab', 'A-b', 'a_b', 'a'.repeat(41), 'a/b', 'models', 'é-é']) {
      await expect(store.add({ ...gateway, slug }, 'cli')).rejects.toMatchObject({ code: 'invalid_value' });
    }
    for (const wrong of [
      { name: ' ' },
      { credential: 'a b' },
      { credential: 'a\r\nx: y' },
      { offer: [] },
      { offer: ['a b'] },
    ]) {
      await expect(store.add({ ...gateway, slug: 'other', ...wrong }, 'cli')).rejects.toMatchObject({
        code: 'invalid_value',
      });
    }
    const entries = await test.database.all(
      "SELECT action, target, diff FROM audit_entry WHERE target LIKE 'gateway:%'",
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'gateway.add',
      'gateway.replace',
      'gateway.disabled',
      'gateway.remove',
      'gateway.add',
    ]);
    expect(JSON.stringify(entries)).not.toContain('"x"');
  });
}

describe.each(allDatabases)('connected gateways on $name', suite);
