import { afterAll, describe, expect, it } from 'vitest';
import type { NewPrice } from '../../../src/billing/index.js';
import type { Catalog } from '../../../src/hosted/catalog/catalog-entry.js';
import { createCatalog, PRICE_CHANNEL, type CatalogView } from '../../../src/hosted/catalog/create-catalog.js';
import { PRICE } from '../../billing/open-test-billing.js';
import { HandClock } from '../../http/hand-clock.js';
import { allDatabases, type TestDatabases } from '../../support/test-databases.js';
import { bodyOf, listOf, startListing } from '../gateways/listing-server.js';
import { openTestConnected, type TestConnected } from '../gateways/open-test-connected.js';
import { eventually } from '../../support/eventually.js';

const price = (provider: string, model: string, more: Partial<NewPrice> = {}): NewPrice => ({
  ...PRICE,
  provider,
  model,
  ...more,
});

function open({ connected, billing, database, wall }: TestConnected, clock = new HandClock()) {
  const provider = { id: 'openai', path: 'openai', models: null };
  const providers = (): readonly (typeof provider)[] => [provider];
  const { directory } = connected;
  return createCatalog({ providers, directory, database, prices: billing.prices, clock, now: () => wall.ms });
}

const read = async (catalog: CatalogView): Promise<Catalog['data']> =>
  (JSON.parse((await catalog.current()).body) as Catalog).data;

function suite(databases: TestDatabases): void {
  afterAll(() => databases.close());

  it("lists priced models of providers and offered ones of gateways, in OpenRouter's form with exact texts", async () => {
    await using gateway = await startListing(
      bodyOf('{"data":[{"id":"qwen/q3:8b","created":1700000000,"max_model_len":32768},{"id":"unpriced"}]}'),
    );
    await using test = await openTestConnected(databases);
    using catalog = open(test);
    await test.add({ slug: 'berlin', name: 'Berlin lab', baseUrl: gateway.url });
    await test.connected.sync.syncNow('berlin');
    await test.connected.directory.refresh();
    await test.billing.prices.add(
      [
        price('openai', 'gpt-5'),
        price('pgw/berlin', 'qwen/q3:8b', {
          inputNano: 1n,
          cachedInputNano: 0n,
          outputNano: 1_234_567n,
          imageNano: 10_000_000n,
        }),
        price('pgw/berlin', 'gone'),
        price('pgw/other', 'x'),
      ],
      'test',
    );
    const entries = await read(catalog);
    expect(entries.map(({ id }) => id)).toEqual(['openai/gpt-5', 'pgw/berlin/qwen/q3:8b']);
    expect(entries[1]).toEqual({
      id: 'pgw/berlin/qwen/q3:8b',
      name: 'Berlin lab: qwen/q3:8b',
      created: 1_700_000_000,
      input_modalities: ['text', 'image'],
      output_modalities: ['text'],
      context_length: 32_768,
      pricing: {
        prompt: '0.000000001',
        completion: '0.001234567',
        input_cache_read: '0',
        // Nothing is said of it: as other input.
        input_cache_write: '0.000000001',
        request: '0',
        image: '0.01',
        audio: '0',
      },
      is_ready: true,
      currency: 'EUR',
      price_version: 1,
      provider: 'pgw/berlin',
      model: 'qwen/q3:8b',
      base_url: '/pgw/berlin/v1',
      stale_since: null,
    });
    expect((await catalog.gatewayModels('berlin'))?.map(({ model }) => model)).toEqual(['qwen/q3:8b']);
    expect(await catalog.gatewayModels('nobody')).toBeUndefined();
  });

  it('has the same etag until something of it changes, and shows a change at once', async () => {
    await using gateway = await startListing(listOf('a', 'b'));
    await using test = await openTestConnected(databases);
    const clock = new HandClock();
    using catalog = open(test, clock);
    await test.add({ slug: 'berlin', baseUrl: gateway.url });
    await test.connected.sync.syncNow('berlin');
    await test.connected.directory.refresh();
    await test.billing.prices.add([price('pgw/berlin', 'a'), price('pgw/berlin', 'b')], 'test');
    const first = await catalog.current();
    clock.advance(60_000);
    expect(await catalog.current()).toEqual(first);
    gateway.answer = listOf('b');
    await test.connected.sync.syncNow('berlin');
    await test.connected.directory.refresh();
    expect((await read(catalog)).map(({ model }) => model)).toEqual(['b']);
    expect((await catalog.current()).etag).not.toBe(first.etag);
    await test.billing.prices.add([price('openai', 'gpt-5')], 'test');
    await test.database.notify(PRICE_CHANNEL, '');
    await eventually(async () => (await read(catalog)).length).toBe(2);
    await test.connected.store.setState('berlin', 'disabled', 'test');
    await test.connected.directory.refresh();
    expect((await read(catalog)).map(({ id }) => id)).toEqual(['openai/gpt-5']);
  });

  it('says since when a gateway cannot be read', async () => {
    await using gateway = await startListing(listOf('a'));
    await using test = await openTestConnected(databases);
    using catalog = open(test);
    await test.add({ slug: 'berlin', baseUrl: gateway.url });
    await test.connected.sync.syncNow('berlin');
    await test.billing.prices.add([price('pgw/berlin', 'a')], 'test');
    gateway.answer = bodyOf('', {}, 500);
    await expect(test.connected.sync.syncNow('berlin')).rejects.toThrow(/500/);
    await test.connected.directory.refresh();
    const since = new Date(test.wall.ms).toISOString();
    expect(await read(catalog)).toMatchObject([{ model: 'a', is_ready: false, stale_since: since }]);
  });
}

describe.each(allDatabases)('the catalog on $name', suite);
