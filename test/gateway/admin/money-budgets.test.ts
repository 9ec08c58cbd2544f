// Budgets in money count only by prices of their currency: one that would count nothing is refused, when it is made and when prices change.
import { expect, it } from 'vitest';
import { askServer } from '../../../src/control/index.js';
import { gatewayControlPath } from '../../../src/gateway/operations/gateway-control-path.js';
import { modelOf } from '../serving/start-gateway.js';
import { startAdmin, type StartedAdmin } from './start-admin.js';

const KEYS = '/admin/api/keys';
const price = (currency: string): object => ({
  price: { input_per_million: '1.00', output_per_million: '1.00', currency },
});
const RUNTIMES = [{ id: 'r', kind: 'openai-compatible', base_url: 'http://127.0.0.1:9' }];
const parts = (...models: object[]): Record<string, unknown> => ({ runtimes: RUNTIMES, models });
const inEuros = { budget: { amount: '1.00', currency: 'EUR', window: 'day' } };
const inDollars = { budget: { amount: '1.00', currency: 'USD', window: 'day' } };

/** By the admin API and by the command, which ask in their own ways. */
const ways: readonly {
  readonly name: string;
  readonly make: (at: StartedAdmin, limits: object, models?: readonly string[]) => Promise<unknown>;
}[] = [
  {
    name: 'the admin API',
    make: async (at, limits, models) => {
      const { json, status } = await at.script('POST', KEYS, {
        body: { name: 'k', limits, ...(models && { models }) },
      });
      return { status, ...(json as object) };
    },
  },
  {
    name: 'a command',
    make: (at, limits, models) => {
      const params = { name: 'k', limits, ...(models && { models }) };
      return askServer(gatewayControlPath(at.started.dataDir), { operation: 'keys.create', params }).catch(
        ({ code, message }: { code: string; message: string }) => ({ error: { code, message } }),
      );
    },
  },
];

it.each(ways)('a budget that no price counts towards is refused by $name', async ({ make }) => {
  const models = [modelOf({ id: 'dear', ...price('EUR') }), modelOf({ id: 'free' })];
  await using at = await startAdmin(parts(...models));
  expect(await make(at, inEuros)).toHaveProperty('secret');
  const other = { error: { code: 'invalid_value', message: expect.stringContaining('dear is in EUR') as string } };
  expect(await make(at, inDollars)).toMatchObject(other);
  const none = { error: { code: 'invalid_value', message: expect.stringContaining('has a price') as string } };
  expect(await make(at, inEuros, ['free'])).toMatchObject(none);
  expect(await make(at, { budget: { tokens: 100, window: 'day' } }, ['free'])).toHaveProperty('secret');
});

it('a change of a key to such a budget, or to models without a price, is refused', async () => {
  await using at = await startAdmin(parts(modelOf({ id: 'dear', ...price('EUR') }), modelOf({ id: 'free' })));
  const made = await at.script('POST', KEYS, { body: { name: 'k', limits: inEuros } });
  const { id, etag } = (made.json as { key: { id: string; etag: string } }).key;
  const change = (body: object) => at.script('PATCH', `${KEYS}/${id}`, { body, headers: { 'if-match': `"${etag}"` } });
  expect((await change({ limits: inDollars })).status).toBe(400);
  expect((await change({ models: ['free'] })).status).toBe(400);
  expect((await change({ models: ['dear'] })).status).toBe(200);
});

it('a file whose prices would no longer count towards a key is refused, by the admin API and on a reload, until the key is gone', async () => {
  await using at = await startAdmin(parts(modelOf({ ...price('EUR') })));
  const { meter, events } = at.started;
  const { record } = await meter.createKey(
    {
      name: 'k',
      models: null,
      expiresAtMs: null,
      limits: { budgets: [{ amountMicro: 1n, currency: 'EUR', window: 'day' }] },
    },
    { kind: 'cli' },
  );
  for (const models of [[modelOf({ ...price('USD') })], [modelOf()]]) {
    await at.started.rewrite({ models });
    const refused = events.findLast(({ event }) => event === 'config refused');
    expect(refused).toMatchObject({
      code: 'gateway_config_invalid',
      message: expect.stringContaining(record.id) as string,
    });
  }
  await at.started.rewrite({ models: [modelOf({ ...price('EUR') })] });
  const shown = await at.script('GET', '/admin/api/config');
  const etag = (shown.json as { etag: string }).etag;
  const saved = await at.script('PATCH', '/admin/api/models/demo', {
    body: price('USD'),
    headers: { 'if-match': `"${etag}"` },
  });
  expect(saved.json).toMatchObject({ error: { code: 'config_refused' } });
  await meter.setKeyState(record.id, 'revoked', { kind: 'cli' });
  await at.started.rewrite({ models: [modelOf({ ...price('USD') })] });
  expect(events.at(-1)).toMatchObject({ event: 'config reloaded' });
});
