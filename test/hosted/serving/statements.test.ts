// What an account and its operator see of its money, and keys that they rotate.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { completion, openEvents, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import { codeOfFailure } from '../../metering/open-test-meter.js';
import { chat, providerAt, settledOf, startHosted, type Payer, type StartedHosted } from './start-hosted.js';
import { chatBody, type FileParts, headerOf, SOON } from '../../support/start-product.js';

const get = (node: StartedHosted, payer: Payer, path: string): Promise<Received> =>
  ask(node.port, 'GET', path, '', undefined, payer.headers);
const jsonOf = ({ body }: Received): FileParts => JSON.parse(body.toString()) as FileParts;
const codeOf = (got: Received): unknown => (jsonOf(got)['error'] as { code: unknown } | undefined)?.code;
const rotate = (node: StartedHosted, secret: string, id: string, body = ''): Promise<Received> =>
  ask(node.port, 'POST', `/v1/keys/${id}/rotate`, body, undefined, { authorization: `Bearer ${secret}` });

it('an account has a statement and its usage, as JSON and as CSV, and no other account is in them', async () => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(10, 5))));
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price();
  const [ann, bob] = [await node.payer(5), await node.payer(3)];
  const credit = { id: ann.account.id, amount: '-1.50', reference: '=SUM(A1)', note: 'a "note", with a comma' };
  await node.operate('accounts.credit', credit);
  await chat(node, ann);
  await settledOf(node, ann);
  await node.billing.tick();
  const statement = jsonOf(await get(node, ann, '/v1/statement'));
  expect(statement).toMatchObject({
    object: 'statement',
    account: ann.account.id,
    currency: 'USD',
    opening_balance: '0.00',
    payments: '5.00',
    refunds: '-1.50',
    usage: '0.00002',
    closing_balance: '3.49998',
    next_cursor: null,
  });
  expect(statement['data']).toMatchObject([
    { kind: 'refund', amount: '-1.50', reference: '=SUM(A1)', note: 'a "note", with a comma' },
    { kind: 'payment', amount: '5.00', currency: 'USD' },
  ]);
  const csv = await get(node, ann, '/v1/statement?format=csv');
  expect(headerOf(csv, 'content-type')).toBe('text/csv; charset=utf-8');
  const [head, refund, payment, end] = csv.body.toString().split('\r\n');
  expect(head).toBe('id,created_at,kind,amount,currency,reference,note');
  expect(refund).toMatch(/,refund,-1\.5,USD,'=SUM\(A1\),"a ""note"", with a comma"$/);
  expect([payment?.includes(',payment,5,USD,'), end]).toEqual([true, '']);
  const page = await get(node, ann, '/v1/statement?limit=1&format=csv');
  const next = await get(node, ann, `/v1/statement?limit=1&cursor=${headerOf(page, 'x-next-cursor')}`);
  expect(jsonOf(next)['data']).toMatchObject([{ kind: 'payment' }]);
  const usage = await get(node, ann, '/v1/usage?group_by=key,model&format=csv');
  expect(usage.body.toString()).toBe(
    `key_id,key_name,model,currency,requests,prompt_tokens,cached_tokens,cache_write_tokens,completion_tokens,cost\r\n${ann.key.id},a key,demo,USD,1,10,0,0,5,0.00002\r\n`,
  );
  const his = (await get(node, bob, '/v1/statement')).body.toString();
  for (const secret of [ann.account.id, ann.account.name, 'refund"']) expect(his).not.toContain(secret);
  for (const query of ['from=x', 'from=2027-01-02&to=2027-01-01', 'format=xml', 'cursor=x', 'limit=0', 'nothing=1']) {
    expect([query, (await get(node, ann, `/v1/statement?${query}`)).status]).toEqual([query, 400]);
  }
  // The operator has the same, and the usage of all accounts.
  const { id } = ann.account;
  expect(await node.operate('accounts.statement', { id })).toMatchObject({
    statement: { closing_balance: '3.49998' },
    payments: [{ kind: 'refund' }, { kind: 'payment' }],
    next: null,
  });
  expect(await node.operate('accounts.show', { id })).toMatchObject({
    account: { id, balance: '3.49998' },
    keys: [{ id: ann.key.id }],
    payments: [{}, {}],
    last_days: { usage: '0.00002', by_model: [{ provider: 'up', model: 'demo', requests: 1 }] },
  });
  expect(await node.operate('usage.sum')).toMatchObject({
    usage: [{ account_id: id, account_name: ann.account.name, requests: 1, cost: '0.00002', currency: 'USD' }],
  });
  expect(await node.operate('requests.list', { account_id: id })).toMatchObject({
    requests: [{ account_name: ann.account.name, key_name: 'a key', model: 'demo', cost: '0.00002' }],
    next: null,
  });
  expect(await node.operate('audit.list', { limit: 1 })).toMatchObject({
    entries: [{ action: expect.any(String) as string, diff: expect.any(Object) as object }],
  });
});

it('a key rotates itself, with a grace or without, and what older secrets have under way ends', async () => {
  await using provider = await startRuntime((_, socket) => {
    const events = openEvents(socket);
    events.token();
  });
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price();
  const payer = await node.payer(10, { requestsPerMinute: 100 });
  const balance = async (secret: string): Promise<number> =>
    (await ask(node.port, 'GET', '/v1/balance', '', undefined, { authorization: `Bearer ${secret}` })).status;
  const graced = jsonOf(await rotate(node, payer.secret, payer.key.id, '{"grace_s":3600}'));
  expect(graced).toMatchObject({ key: { id: payer.key.id, grace_until: expect.any(String) as string } });
  const second = String(graced['secret']);
  expect([await balance(payer.secret), await balance(second)]).toEqual([200, 200]);
  // An older secret may be in wrong hands: it does not rotate.
  const stolen = await rotate(node, payer.secret, payer.key.id);
  expect([stolen.status, codeOf(stolen)]).toEqual([403, 'key_rotation_denied']);
  const streams = [payer.secret, second].map((secret) =>
    ask(node.port, 'POST', '/up/v1/chat/completions', chatBody({ stream: true }), undefined, {
      authorization: `Bearer ${secret}`,
    }),
  );
  await expect.poll(() => provider.asked.length, SOON).toBe(2);
  const third = jsonOf(await rotate(node, second, payer.key.id));
  expect(third).toMatchObject({ key: { grace_until: null, prefix: String(third['secret']).slice(0, 10) } });
  for (const cut of await Promise.all(streams)) expect(cut.body.toString()).toContain('invalid_api_key');
  expect([await balance(payer.secret), await balance(second), await balance(String(third['secret']))]).toEqual([
    401, 401, 200,
  ]);
  for (const body of ['{"grace_s":-1}', '{"grace_s":2592001}', '{"grace_s":"1"}', '[]', 'x'])
    expect([body, (await rotate(node, String(third['secret']), payer.key.id, body)).status]).toEqual([body, 400]);
});

it('a key with limits rotates no other one, one without may rotate those of its account, and none of another', async () => {
  await using node = await startHosted({});
  const [ann, bob] = [await node.payer(1), await node.payer(1)];
  const limits = { budgets: [], models: ['up/demo'] };
  const few = await node.billing.keys.create(ann.account.id, { name: 'few', limits }, 'test');
  const brief = { name: 'brief', limits: { budgets: [], models: null }, expiresAtMs: Date.now() + 60_000 };
  const short = await node.billing.keys.create(ann.account.id, brief, 'test');
  for (const { secret } of [few, short]) {
    const denied = await rotate(node, secret, ann.key.id);
    expect([denied.status, codeOf(denied)]).toEqual([403, 'key_rotation_denied']);
  }
  const foreign = await rotate(node, bob.secret, ann.key.id);
  expect([foreign.status, codeOf(foreign)]).toEqual([404, 'account_key_unknown']);
  expect((await rotate(node, ann.secret, few.key.id)).status).toBe(200);
  expect((await rotate(node, few.secret, few.key.id)).status).toBe(401);
  const made = (await node.operate('keys.rotate', { id: ann.key.id, grace_ms: 0 })) as { secret: string };
  expect((await get(node, ann, '/v1/balance')).status).toBe(401);
  const fresh = { ...ann, headers: { authorization: `Bearer ${made.secret}` } };
  expect((await get(node, fresh, '/v1/balance')).status).toBe(200);
});

it('an export of the ledger tells what is in a file, adds to it, or replaces it, and nothing else is touched', async () => {
  await using node = await startHosted({});
  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  try {
    const { account } = await node.payer(1);
    const path = join(folder, 'a.ndjson');
    const run = (more: object = {}): Promise<unknown> => node.operate('ledger.export', { path, ...more });
    const failure = async (more: object = {}): Promise<unknown> => run(more).catch((error: unknown) => error);
    expect(await run()).toEqual({ path, groups: 1, kept: 0, replaced: 0 });
    const first = readFileSync(path, 'utf8');
    expect(await failure()).toMatchObject({
      code: 'ledger_file_exists',
      message: expect.stringMatching(/with one group of the ledger from \d{4}-.*--append.*--replace/) as string,
    });
    expect(readFileSync(path, 'utf8')).toBe(first);
    expect(await run({ if_exists: 'append' })).toEqual({ path, groups: 0, kept: 1, replaced: 0 });
    await node.operate('accounts.credit', { id: account.id, amount: '1.00', reference: 'p2' });
    expect(await run({ if_exists: 'append' })).toEqual({ path, groups: 1, kept: 1, replaced: 0 });
    const both = readFileSync(path, 'utf8');
    expect(both.startsWith(first)).toBe(true);
    expect(await run({ if_exists: 'replace' })).toEqual({ path, groups: 2, kept: 0, replaced: 2 });
    expect(readFileSync(path, 'utf8')).toBe(both);
    // Of another ledger, cut in the middle, or no export at all: it stays as it is, whatever is asked for.
    const changed = both.replace(/"hash":"[^"]{4}/g, '"hash":"0000');
    for (const [text, code] of [
      [changed, 'ledger_file_other'],
      [both.slice(0, -1), 'ledger_file_foreign'],
      [both.slice(0, -20), 'ledger_file_foreign'],
      ['my notes\n', 'ledger_file_foreign'],
      ['{"id":1}\n', 'ledger_file_foreign'],
    ] as const) {
      writeFileSync(path, text);
      expect(await codeOfFailure(() => run({ if_exists: 'append' }))).toBe(code);
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
    expect(await codeOfFailure(() => run({ if_exists: 'replace' }))).toBe('ledger_file_foreign');
    expect(await codeOfFailure(() => node.operate('ledger.export', { path: folder }))).toBe('ledger_file_foreign');
    expect(readdirSync(folder)).toEqual(['a.ndjson']);
    writeFileSync(path, '');
    expect(await run()).toMatchObject({ groups: 2 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('the operator page answers a wrong token without a path of this machine', async () => {
  await using node = await startHosted({ operator: { port: 0 } });
  const { url = '' } = node.hosted.operator ?? {};
  for (const headers of [{}, { authorization: 'Bearer hop_wrong' }]) {
    const got = await fetch(`${url}/operator/accounts.list`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
    const text = await got.text();
    expect([got.status, text.includes('operator_token_invalid')]).toEqual([401, true]);
    expect(text).not.toMatch(/\/[a-z]+\//);
    expect(text).not.toContain(node.dataDir);
  }
});
