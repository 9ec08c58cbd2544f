import { expect, it } from 'vitest';
import { Compile } from '../../../src/schema/index.js';
import { alertKinds } from '../../../src/alerts/index.js';
import { SECRET, startReceiver } from '../../alerts/start-receiver.js';
import { completion, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { ask } from '../../relay/raw-upstream.js';
import { chat, providerAt, SOON, startHosted, type FileParts } from './start-hosted.js';

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
