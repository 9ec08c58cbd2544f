import { expect, it } from 'vitest';
import { openRaw, overTransports } from '../../http/over-transports.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import { chat, makeKey, modelOf, runtimeAt, startGateway, type StartedGateway, type TestKey } from './start-gateway.js';
import { always, completion, startRuntime } from './runtime.js';
import { chatBody, errorOf, headerOf, SOON } from '../../support/start-product.js';

const answer = completion(3, 2);
const cli = { kind: 'cli' };
const CHAT = '/v1/chat/completions';
/** Every route that needs a key: those that cost something, and the others. */
const PAID = [CHAT, '/v1/completions', '/v1/embeddings', '/v1/responses', '/v1/messages', '/v1/rerank', '/v1/nothing'];

function send(
  gateway: StartedGateway,
  path: string,
  headers = {},
  body = chatBody(),
  method = 'POST',
): Promise<Received> {
  return ask(gateway.port, method, path, body, undefined, headers);
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** What a client gets that sends a head and waits to be asked for its body: the request for it, or a refusal. */
async function sendHead({ gateway, port }: StartedGateway, path: string, key?: TestKey): Promise<string> {
  using client = openRaw(port);
  const own = key === undefined ? '' : `Authorization: ${key.headers.authorization}\r\n`;
  client.send(`POST ${path} HTTP/1.1\r\nHost: a\r\n${own}Expect: 100-continue\r\nContent-Length: 90\r\n\r\n`);
  if (gateway.transport === 'node') return await client.until((text) => text === CONTINUE || text.endsWith('}'));
  // uWebSockets.js asks by itself, whatever becomes of the request.
  return (await client.until((text) => text.endsWith('}'))).slice(CONTINUE.length);
}

overTransports('keys', (transport) => {
  it('are asked for on every route, and limits held, before a byte of a body', async () => {
    await using runtime = await startRuntime(always(answer));
    const [free, once, poor] = [
      makeKey(),
      makeKey('vk_b', { limits: { requests_per_minute: 1 } }),
      makeKey('vk_c', { limits: { budget: { tokens: 40, window: 'day' } } }),
    ];
    const keys = [free, once, poor].map(({ entry }) => entry);
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: keys, passthrough: ['/v1/rerank'] };
    await using gateway = await startGateway(parts, { transport });
    for (const path of PAID)
      expect(await sendHead(gateway, path)).toMatch(/^HTTP\/1.1 401 .*www-authenticate: Bearer/is);
    expect(await sendHead(gateway, '/v1/nothing', free)).toMatch(/^HTTP\/1.1 404 /);
    if (transport === 'node') {
      for (const path of PAID.slice(0, -1)) expect(await sendHead(gateway, path, free)).toBe(CONTINUE);
    }
    expect((await chat(gateway, once)).status).toBe(200);
    expect((await chat(gateway, poor, { max_tokens: 2 })).status).toBe(200);
    await expect.poll(() => gateway.meter.usageOf('vk_c').runningRequests, SOON).toBe(0);
    // A runtime that counted more than it was asked for has used the budget up.
    const hold = await gateway.meter.admit({
      requestId: 'x',
      keyId: 'vk_c',
      model: 'demo',
      promptTokensBound: 1,
      outputTokensBound: 1,
      choices: 1,
    });
    const none = { cachedTokens: 0, reasoningTokens: 0, isEstimated: false, began: true };
    await hold.settle({ promptTokens: 1_000, completionTokens: 0, ...none });
    for (const path of PAID) {
      expect(await sendHead(gateway, path, once)).toMatch(
        /^HTTP\/1.1 429 .*retry-after: \d+\r\n.*retry-after-ms: \d+/is,
      );
      expect(await sendHead(gateway, path, poor)).toMatch(/^HTTP\/1.1 429 .*x-should-retry: false/is);
    }
    for (const path of ['/v1/models', '/v1/models/demo', '/v1/nothing']) {
      expect((await send(gateway, path, {}, '', 'GET')).status).toBe(401);
    }
    expect((await send(gateway, '/health', {}, '', 'GET')).status).toBe(200);
    expect((await send(gateway, '/ready', {}, '', 'GET')).status).toBe(200);
  });

  it('that are revoked or expired have 401, told apart for their operator only, and one that is enabled again works', async () => {
    await using runtime = await startRuntime(always(answer));
    const [off, gone, old] = [
      makeKey('vk_b'),
      makeKey('vk_c'),
      makeKey('vk_d', { expires_at: '2020-01-01T00:00:00Z' }),
    ];
    const keys = [off, gone, old].map(({ entry }) => entry);
    await using gateway = await startGateway({ runtimes: [runtimeAt(runtime.url)], virtual_keys: keys }, { transport });
    await gateway.meter.setKeyState('vk_b', 'disabled', cli);
    await gateway.meter.setKeyState('vk_c', 'revoked', cli);
    for (const [key, code] of [
      [off, 'invalid_api_key'],
      [gone, 'invalid_api_key'],
      [old, 'expired_key'],
    ] as const) {
      const got = await send(gateway, CHAT, key.headers);
      expect([got.status, errorOf(got)['code']]).toEqual([401, code]);
    }
    await gateway.meter.setKeyState('vk_b', 'active', cli);
    await expect.poll(async () => (await send(gateway, CHAT, off.headers)).status, SOON).toBe(200);
    // As Anthropic's clients read it.
    const messages = await send(gateway, '/v1/messages', { 'x-api-key': off.secret.slice(1) });
    expect(JSON.parse(messages.body.toString())).toMatchObject({
      type: 'error',
      error: { type: 'authentication_error' },
    });
    expect(runtime.asked).toHaveLength(1);
  });

  it('list and reach their models only', async () => {
    await using runtime = await startRuntime(always(answer));
    const lists: [string, readonly string[] | null][] = [
      ['vk_all', null],
      ['vk_none', []],
      ['vk_some', ['demo', 'x/*']],
    ];
    const keys = new Map(lists.map(([id, models]) => [id, makeKey(id.replace('_', '_0'), { models })]));
    const parts = {
      runtimes: [runtimeAt(runtime.url)],
      models: ['demo', 'x/a', 'x/b', 'y'].map((id) => modelOf({ id })),
      virtual_keys: [...keys.values()].map(({ entry }) => entry),
    };
    await using gateway = await startGateway(parts, { transport });
    const seen: unknown[] = [];
    for (const { headers } of keys.values()) {
      const list = JSON.parse((await send(gateway, '/v1/models', headers, '', 'GET')).body.toString()) as {
        object: string;
        data: { id: string }[];
      };
      expect(list.object).toBe('list');
      const statuses: number[] = [];
      for (const id of ['demo', 'x/a', 'y', 'z']) {
        statuses.push((await send(gateway, CHAT, headers, chatBody({ model: id }))).status);
        statuses.push((await send(gateway, `/v1/models/${id}`, headers, '', 'GET')).status);
      }
      seen.push([list.data.map(({ id }) => id), statuses]);
    }
    expect(seen).toEqual([
      [
        ['demo', 'x/a', 'x/b', 'y'],
        [200, 200, 200, 200, 200, 200, 404, 404],
      ],
      [[], [403, 403, 403, 403, 403, 403, 403, 403]],
      [
        ['demo', 'x/a', 'x/b'],
        [200, 200, 200, 200, 403, 403, 403, 403],
      ],
    ]);
    const some = keys.get('vk_some')?.headers ?? {};
    const refused = await send(gateway, CHAT, some, chatBody({ model: 'y' }));
    expect(errorOf(refused)).toMatchObject({
      type: 'permission_error',
      code: 'key_model_access_denied',
      param: 'model',
    });
    expect((await send(gateway, '/v1/models/x%2Fa', some, '', 'GET')).status).toBe(200);
    expect(errorOf(await send(gateway, CHAT, some, '{"messages":[]}'))).toMatchObject({
      code: 'missing_required_parameter',
    });
  });

  it('whose grace ends while a body comes have 401', async () => {
    let offsetMs = 0;
    await using runtime = await startRuntime(always(answer));
    const key = makeKey();
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport, now: () => Date.now() + offsetMs });
    await gateway.meter.rotateKey('vk_a', 60_000, cli);
    using client = openRaw(gateway.port);
    const body = chatBody();
    const head = `POST ${CHAT} HTTP/1.1\r\nHost: a\r\nAuthorization: ${key.headers.authorization}\r\n`;
    client.send(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`);
    // What the gateway has of the first request it had before it answered a second one.
    expect((await send(gateway, CHAT, key.headers)).status).toBe(200);
    offsetMs = 61_000;
    client.send(body.slice(9));
    expect(await client.until((text) => text.endsWith('}'))).toMatch(/^HTTP\/1.1 401 /);
    expect(runtime.asked).toHaveLength(1);
  });

  it('are for no page that the file does not list, and for those it lists a preflight needs none', async () => {
    await using runtime = await startRuntime(always(answer, 200, ['Access-Control-Allow-Origin: *']));
    const key = makeKey();
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const page = { origin: 'https://chat.example.com' };
    const preflight = {
      ...page,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const cors = ({ fields }: Received): unknown[] => fields.filter(([name]) => /^access-control-/i.test(name));
    const plain = await send(gateway, CHAT, key.headers);
    expect([plain.status, cors(plain)]).toEqual([200, []]);
    for (const path of PAID) {
      const refused = await send(gateway, path, preflight, '', 'OPTIONS');
      expect([refused.status, cors(refused)]).toEqual([403, []]);
    }
    await gateway.rewrite({ cors_origins: [page.origin], passthrough: ['/v1/rerank'] });
    for (const path of [...PAID, '/v1/models']) {
      const allowed = await send(gateway, path, preflight, '', 'OPTIONS');
      expect([path, allowed.status, headerOf(allowed, 'access-control-allow-origin')]).toEqual([
        path,
        204,
        page.origin,
      ]);
      expect(headerOf(allowed, 'access-control-allow-headers')).toMatch(/authorization/i);
    }
    const asked = await send(gateway, CHAT, { ...page, ...key.headers });
    expect([asked.status, headerOf(asked, 'access-control-allow-origin')]).toEqual([200, page.origin]);
    expect(asked.fields.filter(([name]) => name.toLowerCase() === 'access-control-allow-origin')).toHaveLength(1);
    expect((await send(gateway, CHAT, { ...key.headers, origin: 'https://other.example' })).status).toBe(403);
  });
});
