// The account API, isolation of tenants, and what requests are refused with.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { completion, openEvents, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import { chat, providerAt, settledOf, startHosted, type Payer, type StartedHosted } from './start-hosted.js';
import { chatBody, headerOf, SOON } from '../../support/start-product.js';

const get = (node: StartedHosted, payer: Payer | undefined, path: string, headers = {}): Promise<Received> =>
  ask(node.port, 'GET', path, '', undefined, { ...payer?.headers, ...headers });
const jsonOf = ({ body }: Received): Readonly<Record<string, unknown>> =>
  JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
const codeOf = (got: Received): unknown => (jsonOf(got)['error'] as { code: unknown } | undefined)?.code;

/** Every endpoint that has something of an account. */
const ACCOUNT_PATHS = ['/v1/balance', '/v1/usage', '/v1/generations', '/v1/keys', '/v1/catalog', '/up/v1/models'];

it('the account API tells balance, usage and generations, and no other account learns of them', async () => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(10, 5))));
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price();
  const [ann, bob] = [await node.payer(5), await node.payer(3)];
  const id = headerOf(await chat(node, ann), 'x-generation-id') ?? '';
  await settledOf(node, ann);
  await node.billing.tick();
  expect(jsonOf(await get(node, ann, '/v1/balance'))).toMatchObject({
    available: '4.99998',
    currency: 'USD',
    held: '0.00',
  });
  expect(jsonOf(await get(node, ann, `/v1/generations/${id}`))).toMatchObject({
    id,
    cost: '0.00002',
    state: 'settled',
  });
  expect(jsonOf(await get(node, ann, '/v1/generations'))).toMatchObject({ data: [{ id }], next_cursor: null });
  expect(jsonOf(await get(node, ann, '/v1/usage?group_by=model'))).toMatchObject({
    data: [{ model: 'demo', requests: 1, prompt_tokens: 10, completion_tokens: 5, cost: '0.00002' }],
  });
  expect(jsonOf(await get(node, ann, '/up/v1/models'))).toMatchObject({ data: [{ id: 'demo', owned_by: 'up' }] });
  const catalog = await get(node, ann, '/v1/catalog');
  expect(jsonOf(catalog)).toMatchObject({
    data: [{ model: 'demo', base_url: '/up/v1', pricing: { prompt: '0.000001' } }],
  });
  const known = await get(node, ann, '/v1/catalog', { 'if-none-match': headerOf(catalog, 'etag') });
  expect([known.status, known.body.length]).toEqual([304, 0]);

  // Another tenant: an id of Ann is one that does not exist, and nothing of hers is in any answer.
  const unknown = await get(node, bob, '/v1/generations/01890000-0000-7000-8000-000000000000');
  const hers = await get(node, bob, `/v1/generations/${id}`);
  expect([hers.status, codeOf(hers)]).toEqual([404, codeOf(unknown)]);
  for (const path of [...ACCOUNT_PATHS, `/v1/generations?key_id=${ann.key.id}`, `/v1/usage?group_by=key`]) {
    const text = (await get(node, bob, path)).body.toString();
    for (const secret of [id, ann.account.id, ann.key.id, ann.account.name]) expect(text, path).not.toContain(secret);
  }
  // A cursor of Ann, and one that was changed, lead Bob nowhere.
  for (let i = 0; i < 3; i++) await chat(node, ann);
  await settledOf(node, ann, 4);
  const cursor = String(jsonOf(await get(node, ann, '/v1/generations?limit=1'))['next_cursor']);
  for (const tampered of [cursor, `${cursor.slice(0, -2)}AA`, cursor.toLowerCase(), 'x']) {
    const got = await get(node, bob, `/v1/generations?cursor=${encodeURIComponent(tampered)}`);
    expect(got.status === 400 || (jsonOf(got)['data'] as unknown[]).length === 0, tampered).toBe(true);
  }
});

it('a client without a key learns nothing of paths, and a key of the gateway is none here', async () => {
  await using node = await startHosted({ providers: [providerAt('http://127.0.0.1:1')] });
  for (const path of [...ACCOUNT_PATHS, '/nothing', '/pgw/abc/v1/models', '/up/v1/chat/completions']) {
    const got = await get(node, undefined, path);
    expect([path, got.status]).toEqual([path, 401]);
  }
  const wrong = await get(node, undefined, '/v1/balance', { authorization: 'Bearer gwk_aaaaaa_bbbb' });
  expect([wrong.status, codeOf(wrong)]).toEqual([401, 'invalid_api_key']);
  const payer = await node.payer();
  expect((await get(node, payer, '/nothing')).status).toBe(404);
  const method = await get(node, payer, '/up/v1/chat/completions');
  expect([method.status, headerOf(method, 'allow')]).toEqual([405, 'POST']);
  await node.billing.keys.setState(payer.key.id, 'disabled', 'test');
  await expect.poll(async () => (await get(node, payer, '/v1/balance')).status, SOON).toBe(401);
});

it('refuses in the words of each API', async () => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(1, 1))));
  const paths = [
    { path: '/v1/chat/completions', dialect: 'chat-completions' },
    { path: '/v1/messages', dialect: 'messages' },
  ];
  await using node = await startHosted({ providers: [providerAt(provider.url, { paths, models: ['demo', 'free'] })] });
  await node.price();
  const payer = await node.payer(1, { models: ['up/demo', 'up/free', 'up/gone'] });
  const send = (path: string, body: string, headers = {}): Promise<Received> =>
    ask(node.port, 'POST', path, body, undefined, { ...payer.headers, ...headers });
  const path = '/up/v1/chat/completions';
  const refusals = [
    [path, '{"model":"free"}', 404, 'model_not_priced'],
    [path, '{"model":"gone"}', 404, 'model_not_found'],
    [path, '{"model":"other"}', 403, 'key_model_access_denied'],
    [path, '{"messages":[]}', 400, 'missing_required_parameter'],
    [path, 'no json', 400, 'request_not_json'],
    [path, '{"model":"demo","model":"free"}', 400, 'request_key_ambiguous'],
  ] as const;
  for (const [where, body, status, code] of refusals) {
    const got = await send(where, body);
    expect([body, got.status, codeOf(got)]).toEqual([body, status, code]);
  }
  const message = jsonOf(await send('/up/v1/messages', '{"model":"gone"}'));
  expect(message).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  const key = await send(path, chatBody(), { 'idempotency-key': 'a b' });
  expect([key.status, codeOf(key)]).toEqual([400, 'invalid_value']);
  expect(provider.asked).toEqual([]);
});

it('an Idempotency-Key is charged once, and its second request gets the id of the first', async () => {
  let status = 500;
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(10, 5), status)));
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price();
  const [ann, bob] = [await node.payer(), await node.payer()];
  const send = (payer: Payer): Promise<Received> =>
    ask(node.port, 'POST', '/up/v1/chat/completions', chatBody(), undefined, {
      ...payer.headers,
      'idempotency-key': 'k1',
    });
  expect((await send(ann)).status).toBe(500);
  await settledOf(node, ann);
  status = 200;
  // What was voided may be sent again.
  const first = await send(ann);
  expect(first.status).toBe(200);
  await settledOf(node, ann, 2);
  const again = await send(ann);
  expect([again.status, codeOf(again)]).toEqual([409, 'idempotency_key_used']);
  expect(again.body.toString()).toContain(headerOf(first, 'x-request-id'));
  expect((await send(bob)).status).toBe(200);
  expect(provider.asked).toHaveLength(3);
  expect(provider.asked.some(({ fields }) => fields.some(([name]) => /idempotency/i.test(name)))).toBe(false);
});

it('limits of a key are held, and one slow provider takes nothing from the others', async () => {
  await using slow = await startRuntime(() => {});
  await using quick = await startRuntime((_, socket) => void socket.write(whole(completion(1, 1))));
  const providers = [providerAt(slow.url, { id: 'slow', connections: 2 }), providerAt(quick.url)];
  await using node = await startHosted({ providers, limits: { queue: 1, queue_s: 1 } });
  await node.price();
  await node.price('demo', { provider: 'slow' });
  const payer = await node.payer();
  const sendSlow = (): Promise<Received> =>
    ask(node.port, 'POST', '/slow/v1/chat/completions', chatBody(), undefined, payer.headers);
  void sendSlow().catch(() => {});
  void sendSlow().catch(() => {});
  await expect.poll(() => slow.asked.length, SOON).toBe(2);
  const [waited, refused] = await Promise.all([sendSlow(), sendSlow()]);
  expect([waited.status, refused.status]).toEqual([503, 503]);
  expect(codeOf(waited)).toBe('upstream_busy');
  expect((await chat(node, payer)).status).toBe(200);
  const limited = await node.payer(1, { requestsPerMinute: 1 });
  expect((await chat(node, limited)).status).toBe(200);
  const over = await chat(node, limited);
  expect([over.status, codeOf(over)]).toEqual([429, 'rate_limit_exceeded']);
});

it('nothing of what was said, and no secret, is in logs, metrics or files', async () => {
  const canary = 'CANARY-c6a1f0';
  await using provider = await startRuntime((asked, socket) => {
    if (asked.body.includes('"broken"')) return void socket.write(whole(`{"error":"${canary}"}`, 400));
    if (!asked.body.includes('"stream":true')) return void socket.write(whole(completion(1, 1).replace('Hi', canary)));
    const events = openEvents(socket);
    events.write(`data: {"choices":[{"delta":{"content":"${canary}"}}]}\n\n`);
    events.end();
  });
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price();
  const payer = await node.payer();
  for (let i = 0; i < 40; i++) {
    const messages = [{ role: 'user', content: `${canary} ${i}` }];
    const part = i % 4 === 0 ? { broken: true } : i % 4 === 1 ? { stream: true } : i % 4 === 2 ? { model: canary } : {};
    await ask(node.port, 'POST', `/up/v1/chat/completions?q=${canary}`, chatBody({ messages, ...part }), undefined, {
      ...payer.headers,
      'x-canary': canary,
    });
  }
  await settledOf(node, payer, 30);
  await node.billing.tick();
  const metrics = (await get(node, undefined, '/metrics')).body.toString();
  expect(metrics).toContain('troupe_hosted_requests_total');
  const texts = [metrics, JSON.stringify(node.lines), JSON.stringify(node.events), ...filesOf(node.home)];
  expect(texts.length).toBeGreaterThan(5);
  for (const text of texts) {
    expect(text.includes(canary)).toBe(false);
    expect(text.includes(payer.secret)).toBe(false);
    expect(text.includes('secret-of-env')).toBe(false);
  }
});

/** The bytes of all files below a directory, as latin1. */
function filesOf(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    if (statSync(path).isDirectory()) return filesOf(path);
    return statSync(path).isFile() ? [readFileSync(path, 'latin1')] : [];
  });
}
