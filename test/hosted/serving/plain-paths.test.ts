// Requests whose model names the provider too, at paths without it: relayed, charged, limited and refused as at the paths
// of providers.
import { expect, it } from 'vitest';
import { completion, fieldOf, lastOf, openEvents, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import { providerAt, settledOf, startHosted, type Payer, type StartedHosted } from './start-hosted.js';
import { chatBody, type FileParts, headerOf, SOON } from '../../support/start-product.js';

const ALLOWED = { allow_private: ['127.0.0.0/8'] };
const ALL_PATHS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/responses',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/rerank',
];

const post = (node: StartedHosted, payer: Payer, path: string, body: string, headers = {}): Promise<Received> =>
  ask(node.port, 'POST', path, body, undefined, { ...payer.headers, ...headers });
const get = (node: StartedHosted, payer: Payer, path: string): Promise<Received> =>
  ask(node.port, 'GET', path, '', undefined, payer.headers);
const jsonOf = ({ body }: Received): FileParts => JSON.parse(body.toString()) as FileParts;
const errorOf = (got: Received): { readonly code?: string; readonly message: string } =>
  jsonOf(got)['error'] as { code?: string; message: string };
const idsOf = (got: Received): readonly string[] => (jsonOf(got)['data'] as { id: string }[]).map(({ id }) => id);

it.each(ALL_PATHS)('%s sends the model that it names to its provider, every other byte unchanged', async (path) => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(10, 5))));
  const paths = ALL_PATHS.map((one) => ({ path: one }));
  await using node = await startHosted({ providers: [providerAt(provider.url, { paths })] });
  await node.price('meta/demo');
  const payer = await node.payer();
  const body = '{ "big": 12345678901234567890,\n "model":"up/meta/demo", "input":"a", "x":{"model":"up/meta/demo"}}';
  const got = await post(node, payer, `${path}?x=1`, body);
  expect(got.status).toBe(200);
  const { target, body: sent } = lastOf(provider);
  expect([target, sent]).toEqual([
    `${path}?x=1`,
    '{ "big": 12345678901234567890,\n "model":"meta/demo", "input":"a", "x":{"model":"up/meta/demo"}}',
  ]);
  expect(fieldOf(lastOf(provider), 'authorization')).toBe('Bearer secret-of-env');
  const costMicro = path.endsWith('count_tokens') ? 0n : undefined;
  const [settled] = await settledOf(node, payer);
  expect(settled).toMatchObject({ provider: 'up', model: 'meta/demo', ...(costMicro !== undefined && { costMicro }) });
  expect(headerOf(got, 'x-generation-id')).toBe(settled?.requestId);
  await expect.poll(() => node.lines.at(-1), SOON).toMatchObject({ provider: 'up', path, model: 'meta/demo' });
});

it('a connected gateway is named by pgw and its slug, and a stream comes as at its own path', async () => {
  await using provider = await startRuntime((_, socket) => {
    const events = openEvents(socket);
    events.write('data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n');
    events.write('data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n');
    events.write('data: [DONE]\n\n');
    events.end();
  });
  await using node = await startHosted({ gateways: ALLOWED });
  await node.operate('gateways.add', { slug: 'lab', name: 'Lab', base_url: provider.url, credential: 'sealed' });
  await node.price('up', { provider: 'pgw/lab' });
  const payer = await node.payer();
  const plain = await post(node, payer, '/v1/chat/completions', chatBody({ model: 'pgw/lab/up', stream: true }));
  expect(JSON.parse(lastOf(provider).body)).toMatchObject({ model: 'up', stream: true });
  const own = await post(node, payer, '/pgw/lab/v1/chat/completions', chatBody({ model: 'up', stream: true }));
  expect([plain.status, plain.body.toString()]).toEqual([200, own.body.toString()]);
  const charged = { provider: 'pgw/lab', model: 'up', promptTokens: 3, completionTokens: 1, costMicro: 5n };
  expect(await settledOf(node, payer, 2)).toMatchObject([charged, charged]);
});

it('a provider is named by its id or its path, and its own path of an API comes before a longer one', async () => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(1, 1))));
  const compatible = { path: '/compatible-mode/v1/chat/completions' };
  const providers = [
    providerAt(provider.url, { path: 'eu/west', paths: [compatible, { path: '/v1/chat/completions' }] }),
    providerAt(provider.url, { id: 'other', paths: [compatible] }),
  ];
  await using node = await startHosted({ providers });
  await node.price();
  await node.price('demo', { provider: 'other' });
  const payer = await node.payer();
  for (const [model, target] of [
    ['up/demo', '/v1/chat/completions'],
    ['eu/west/demo', '/v1/chat/completions'],
    ['other/demo', compatible.path],
  ] as const) {
    const got = await post(node, payer, '/v1/chat/completions', chatBody({ model }));
    expect([got.status, lastOf(provider).target]).toEqual([200, target]);
  }
  expect(idsOf(await get(node, payer, '/v1/models'))).toEqual(['other/demo', 'up/demo']);
});

it('the lists have what the key may use and can pay, and one model is listed by either path', async () => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(1, 1))));
  const providers = [
    providerAt(provider.url),
    providerAt(provider.url, { id: 'open', unpriced: 'free', models: ['gift', 'a/b'], credential: undefined }),
  ];
  await using node = await startHosted({ providers, gateways: ALLOWED, base_paths: ['/api'] });
  await node.operate('gateways.add', { slug: 'lab', name: 'Lab', base_url: provider.url });
  await node.price();
  await node.price('euro', { currency: 'EUR' });
  await node.price('up', { provider: 'pgw/lab' });
  const [all, few] = [await node.payer(), await node.payer(1, { models: ['open', 'up/other*'] })];
  for (const path of ['/v1/models', '/api/v1/models/', '//v1//models']) {
    expect(idsOf(await get(node, all, path))).toEqual(['open/a/b', 'open/gift', 'pgw/lab/up', 'up/demo']);
  }
  expect(idsOf(await get(node, few, '/v1/models'))).toEqual(['open/a/b', 'open/gift']);
  expect(idsOf(await get(node, all, '/open/v1/models'))).toEqual(['a/b', 'gift']);
  const gift = { object: 'model', created: 0, owned_by: 'open' };
  for (const path of ['/v1/models/open/a/b', '/v1/models/open%2Fa%2Fb']) {
    expect(jsonOf(await get(node, few, path))).toEqual({ id: 'open/a/b', ...gift });
  }
  for (const path of ['/open/v1/models/a/b', '/open/v1/models/a%2Fb', '/api/open/v1/models/a/b']) {
    expect(jsonOf(await get(node, few, path))).toEqual({ id: 'a/b', ...gift });
  }
  expect(jsonOf(await get(node, all, '/pgw/lab/v1/models/up'))).toMatchObject({ id: 'up', owned_by: 'pgw/lab' });
  for (const path of ['/v1/models/up/demo', '/up/v1/models/demo', '/v1/models/open/none', '/v1/models/x']) {
    const got = await get(node, few, path);
    expect([path, got.status, errorOf(got).code]).toEqual([path, 404, 'model_not_found']);
  }
  for (const path of ['/v1/models', '/v1/models/up/demo', '/v1/chat/completions']) {
    expect((await ask(node.port, 'GET', path, '')).status).toBe(401);
  }
  const wrong = await get(node, all, '/v1/chat/completions');
  expect([wrong.status, headerOf(wrong, 'allow')]).toEqual([405, 'POST']);
  expect((await post(node, few, '/v1/chat/completions', chatBody({ model: 'open/gift' }))).status).toBe(200);
});

it('refusals say what is possible for the key, in the words of each API, and cost nothing', async () => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(1, 1))));
  await using node = await startHosted({ providers: [providerAt(provider.url)], gateways: ALLOWED });
  await node.price();
  await node.price('secret');
  const payer = await node.payer(1, { models: ['up/demo', 'up/gone', 'pgw/gone'] });
  const path = '/v1/chat/completions';
  const refusals = [
    [path, '{"messages":[]}', 400, 'missing_required_parameter', 'up/demo'],
    [path, '{"model":"demo"}', 404, 'model_not_found', 'names no provider'],
    [path, '{"model":"demo"}', 404, 'model_not_found', 'Did you mean up/demo?'],
    [path, '{"model":""}', 404, 'model_not_found', 'up/demo'],
    [path, '{"model":"up/"}', 404, 'model_not_found', 'up/demo'],
    [path, '{"model":"upp/demo"}', 404, 'model_not_found', 'Did you mean up/demo?'],
    [path, '{"model":"nobody/any"}', 404, 'model_not_found', 'This key may use up/demo'],
    [path, '{"model":"pgw/gone/any"}', 404, 'model_not_found', 'This key may use up/demo'],
    [path, '{"model":"up/gone"}', 404, 'model_not_found', 'GET /v1/models'],
    [path, '{"model":"up/secret"}', 403, 'key_model_access_denied', 'GET /v1/models'],
    ['/v1/embeddings', '{"model":"up/demo"}', 404, 'not_found_error', '/v1/chat/completions'],
    [path, '{"model":"up/demo","model":"up/gone"}', 400, 'request_key_ambiguous', 'model'],
  ] as const;
  for (const [where, body, status, code, text] of refusals) {
    const got = await post(node, payer, where, body);
    expect([body, got.status, errorOf(got).code]).toEqual([body, status, code]);
    expect(errorOf(got).message).toContain(text);
    expect(errorOf(got).message).not.toContain('up/secret');
  }
  const message = await post(node, payer, '/v1/messages', '{"model":"demo"}');
  expect(jsonOf(message)).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  expect(provider.asked.filter(({ method }) => method === 'POST')).toEqual([]);
  expect((await node.billing.accounts.get(payer.account.id)).availableMicro).toBe(1_000_000n);
});

it('plain paths share limits, idempotency and the bulkhead of their provider', async () => {
  await using slow = await startRuntime(() => {});
  const providers = [providerAt(slow.url, { connections: 1 })];
  await using node = await startHosted({ providers, limits: { queue: 1, queue_s: 1 } });
  await node.price();
  const payer = await node.payer();
  const send = (path: string, model: string, headers = {}): Promise<Received> =>
    post(node, payer, path, chatBody({ model }), headers);
  void send('/up/v1/chat/completions', 'demo', { 'idempotency-key': 'k1' }).catch(() => {});
  await expect.poll(() => slow.asked.length, SOON).toBe(1);
  const twice = await send('/v1/chat/completions', 'up/demo', { 'idempotency-key': 'k1' });
  expect([twice.status, errorOf(twice).code]).toEqual([409, 'idempotency_key_used']);
  const waited = await send('/v1/chat/completions', 'up/demo');
  expect([waited.status, errorOf(waited).code]).toEqual([503, 'upstream_busy']);
  const limited = await node.payer(1, { requestsPerMinute: 1 });
  const first = post(node, limited, '/up/v1/chat/completions', chatBody());
  await first;
  const over = await post(node, limited, '/v1/chat/completions', chatBody({ model: 'up/demo' }));
  expect([over.status, headerOf(over, 'x-ratelimit-limit-requests')]).toEqual([429, '1']);
});
