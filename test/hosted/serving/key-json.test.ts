// A key has one shape as JSON: in the gateway and in the hosted API, for operators and for accounts.
import { expect, it } from 'vitest';
import { Compile } from '../../../src/schema/index.js';
import { ShownKey } from '../../../src/gateway/admin/schemas/keys.js';
import { HostedKey } from '../../../src/hosted/operations/shown.js';
import { completion, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { ask } from '../../relay/raw-upstream.js';
import { chat, providerAt, settledOf, startHosted } from './start-hosted.js';
import { type FileParts } from '../../support/start-product.js';

/** The names of the fields, those of objects within too. */
function namesOf(schema: unknown, own: readonly string[], place = ''): readonly string[] {
  const { properties = {}, items } = schema as { readonly properties?: object; readonly items?: unknown };
  if (items !== undefined) return namesOf(items, own, `${place}[]`);
  return Object.entries(properties)
    .filter(([name]) => !own.includes(name))
    .flatMap(([name, field]) => [`${place}.${name}`, ...namesOf(field, own, `${place}.${name}`)])
    .toSorted();
}

const hostedKey = Compile(HostedKey);
const problemsOf = (key: unknown): readonly unknown[] => [...hostedKey.Errors(key)];

it('has the same fields in the gateway and in the hosted API, beside those of each product', () => {
  const hosted = namesOf(HostedKey, ['account_id']);
  expect(namesOf(ShownKey, ['origin', 'etag'])).toEqual(hosted);
  expect(hosted).toContain('.limits.budgets[].used');
});

it('has its use in every answer of the hosted API: a list, one account, a change, and the account itself', async () => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(10, 5))));
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price('demo', { inputNano: 1_000_000n, outputNano: 1_000_000n });
  const { account } = await node.payer();
  const budgets = [{ amount: '5.00', window: 'month' }];
  const wanted = { account_id: account.id, name: 'first', requests_per_minute: 60, budgets };
  const created = (await node.operate('keys.create', wanted)) as { readonly secret: string; readonly key: FileParts };
  const headers = { authorization: `Bearer ${created.secret}` };
  const payer = { account, secret: created.secret, headers, key: { id: created.key['id'] } as never };
  expect((await chat(node, payer)).status).toBe(200);
  await settledOf(node, payer);
  await node.billing.tick();

  const id = String(created.key['id']);
  const pick = (keys: unknown): unknown => (keys as readonly FileParts[]).find((key) => key['id'] === id);
  const listed = (await node.operate('keys.list', { account_id: account.id })) as FileParts;
  const shown = (await node.operate('accounts.show', { id: account.id })) as FileParts;
  const rotated = (await node.operate('keys.rotate', { id, grace_ms: 60_000 })) as FileParts;
  const changed = (await node.operate('keys.set-state', { id, state: 'active' })) as FileParts;
  const own = await ask(node.port, 'GET', '/v1/keys', '', undefined, headers);
  const mine = (JSON.parse(own.body.toString()) as FileParts)['data'];
  const all = [pick(listed['keys']), pick(shown['keys']), rotated['key'], changed['key'], pick(mine)];
  for (const key of all) {
    expect(problemsOf(key)).toEqual([]);
    expect(key).toMatchObject({
      limits: {
        requests_per_minute: 60,
        running_requests: null,
        budgets: [{ unit: 'USD', window: 'month', limit: '5.00', used: '0.015', held: '0.00' }],
      },
      used: { day_tokens: 15, month_tokens: 15, total_tokens: 15 },
    });
  }
  expect(problemsOf(created.key)).toEqual([]);
  expect(created.key).toMatchObject({ grace_until: null, used: { total_tokens: 0 } });
  expect(rotated['key']).toMatchObject({ grace_until: expect.any(String) as string });
});
