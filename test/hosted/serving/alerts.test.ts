import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { Compile } from '../../../src/schema/index.js';
import { alertKinds } from '../../../src/alerts/index.js';
import { SECRET, startReceiver } from '../../alerts/start-receiver.js';
import { completion, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { ask } from '../../relay/raw-upstream.js';
import { noPostgres, postgresDatabases } from '../../support/test-databases.js';
import { chat, providerAt, startHosted } from './start-hosted.js';
import { type FileParts, SOON } from '../../support/start-product.js';

const readSecret = async (source: { readonly from: string; readonly name?: string }): Promise<string> => {
  if (source.name === 'HOOK') return SECRET;
  return source.name === 'SECRET' ? '0123456789abcdef0123456789abcdef' : 'a-credential';
};

function alertsTo(url: string, parts: FileParts = {}): FileParts {
  return { alerts: { webhooks: [{ id: 'ops', url, secret: { env: 'HOOK' } }], ...parts } };
}

it('a node tells a low and an empty balance, and the budget of a key, once', async () => {
  await using receiver = await startReceiver();
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(1_000, 1_000))));
  const file = { providers: [providerAt(provider.url)], ...alertsTo(receiver.url, { low_balance: '0.995' }) };
  await using hosted = await startHosted(file, { readSecret });
  await hosted.price();
  // 0.003 a request.
  const budgets = [{ amountMicro: 7_000n, window: 'month' as const }];
  const payer = await hosted.payer(1, { budgets });
  for (let i = 0; i < 2; i++) expect((await chat(hosted, payer, { max_tokens: 1_000 })).status).toBe(200);
  await expect.poll(() => receiver.types().toSorted(), SOON).toEqual(['balance.low', 'budget.warning']);
  expect((await chat(hosted, payer, { max_tokens: 1_000 })).status).toBe(429);
  await expect
    .poll(() => receiver.types().toSorted(), SOON)
    .toEqual(['balance.low', 'budget.exhausted', 'budget.warning']);
  const amount = { amountMicro: -994_000n, reference: 'refund' };
  await hosted.billing.accounts.credit(payer.account.id, amount, 'test');
  const other = await hosted.billing.keys.create(
    payer.account.id,
    { name: 'other', limits: { budgets: [], models: null } },
    'test',
  );
  const headers = { authorization: `Bearer ${other.secret}` };
  const refused = await chat(hosted, { ...payer, headers }, { max_tokens: 1_000 });
  expect(refused.status).toBe(402);
  await expect.poll(() => receiver.types(), SOON).toContain('balance.empty');
  expect(receiver.got).toHaveLength(4);
  const of = (type: string): unknown => receiver.got.find(({ body }) => body.type === type)?.body.data;
  expect(of('balance.low')).toEqual({
    account_id: payer.account.id,
    account_name: payer.account.name,
    currency: 'USD',
    balance: '0.994',
    low_balance: '0.995',
  });
  expect(of('budget.warning')).toMatchObject({ account_name: payer.account.name, unit: 'USD', used: '0.006' });
  for (const { isSigned, body } of receiver.got) {
    expect(isSigned).toBe(true);
    expect(body.source).toMatchObject({ product: 'hosted-api' });
    expect(Compile(alertKinds[body.type as keyof typeof alertKinds].data).Check(body.data)).toBe(true);
  }
});

it('a node tells a provider whose requests fail', async () => {
  await using receiver = await startReceiver();
  await using provider = await startRuntime((_, socket) => void socket.write(whole('{"error":{}}', 503)));
  const file = { providers: [providerAt(provider.url)], ...alertsTo(receiver.url) };
  await using hosted = await startHosted(file, { readSecret });
  await hosted.price();
  const payer = await hosted.payer();
  for (let i = 0; i < 12; i++) await chat(hosted, payer);
  await expect.poll(() => receiver.types(), SOON).toEqual(['provider.down']);
  expect(receiver.got[0]?.body.data).toEqual({ provider: 'up', trouble: 'requests_fail' });
});

it('a node tells a burst of wrong keys, and of wrong tokens of operators', async () => {
  await using receiver = await startReceiver();
  const file = { providers: [providerAt('http://127.0.0.1:9')], operator: { port: 0 }, ...alertsTo(receiver.url) };
  await using hosted = await startHosted(file, { readSecret });
  const wrong = { authorization: `Bearer hak_${'x'.repeat(40)}` };
  for (let i = 0; i < 120; i++) await ask(hosted.port, 'POST', '/up/v1/chat/completions', '{}', undefined, wrong);
  await expect.poll(() => receiver.types(), SOON).toEqual(['sign_in.burst']);
  const { url = '' } = hosted.hosted.operator ?? {};
  for (let i = 0; i < 6; i++) {
    const headers = { authorization: 'Bearer wrong', 'content-type': 'application/json' };
    await fetch(`${url}/operator/accounts.list`, { method: 'POST', headers, body: '{}' });
  }
  await expect.poll(() => receiver.got.map(({ body }) => body.data['where']), SOON).toEqual(['api', 'operator']);
});

describe.skipIf(noPostgres !== undefined)('two nodes on one PostgreSQL', () => {
  const postgres = postgresDatabases();
  afterAll(() => postgres.close());

  it('tell a budget, a balance and a provider once, whichever node sees it first', async () => {
    await using receiver = await startReceiver();
    let status = 200;
    await using provider = await startRuntime(
      (_, socket) =>
        void socket.write(status === 200 ? whole(completion(1_000, 1_000)) : whole('{"error":{}}', status)),
    );
    const url = await postgres.freshUrl();
    const file = {
      providers: [providerAt(provider.url)],
      database: { postgres: { url: { env: 'DATABASE_URL' } } },
      ...alertsTo(receiver.url, { low_balance: '99.99' }),
    };
    const start = (): ReturnType<typeof startHosted> =>
      startHosted(file, {
        readSecret: async (source) =>
          source.from === 'env' && source.name === 'DATABASE_URL' ? url : readSecret(source),
      });
    await using first = await start();
    await using second = await start();
    await first.price();
    // 0.003 a request: 81 % after nine, used up after eleven.
    const payer = await first.payer(100, { budgets: [{ amountMicro: 33_000n, window: 'month' }] });
    const nodes = [first, second];
    const inTurns = async (count: number): Promise<readonly number[]> => {
      const got: number[] = [];
      for (let i = 0; i < count; i++)
        for (const node of nodes) got.push((await chat(node, payer, { max_tokens: 1_000 })).status);
      return got;
    };
    const told = async (types: readonly string[]): Promise<void> =>
      expect.poll(() => receiver.types().toSorted(), SOON).toEqual(types);
    expect(await inTurns(5)).toEqual(Array.from({ length: 10 }, () => 200));
    await told(['balance.low', 'budget.warning']);
    expect(await inTurns(2)).toEqual([200, 429, 429, 429]);
    await told(['balance.low', 'budget.exhausted', 'budget.warning']);
    status = 503;
    const other = await first.payer();
    for (let i = 0; i < 12; i++) for (const node of nodes) await chat(node, other);
    const all = ['balance.low', 'budget.exhausted', 'budget.warning', 'provider.down'];
    await told(all);
    // Both nodes look each second at what was used.
    await sleep(2_500);
    await told(all);
    for (const node of nodes) expect(node.events.filter(({ event }) => event === 'alerts failed')).toEqual([]);
  });
});
