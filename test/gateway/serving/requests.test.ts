import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { overTransports } from '../../http/over-transports.js';
import { ask } from '../../relay/raw-upstream.js';
import { chat, makeKey, modelOf, runtimeAt, startGateway } from './start-gateway.js';
import { always, completion, fieldOf, lastOf, openEvents, startRuntime, whole } from './runtime.js';
import { chatBody, errorOf, type FileParts, SOON } from '../../support/start-product.js';

const answer = completion(3, 2);
/** Spellings that a parser would lose: space, the order and escapes of names, large and exact numbers, unknown fields. */
const ODD =
  '\r\n { "x\\u0041" : 12345678901234567890 ,\t"temperature":0.50e0,"model" : "demo" , "messages":[{"role":"user",' +
  '"content":"h\\u00e9\\ud83d\\ude00 é"}],"seed":9007199254740993,"unknown":{"a":[1E400,-0.0,{}]} }\n';

overTransports('a request', (transport) => {
  it('reaches its runtime as it was sent, but for the value of model', async () => {
    await using runtime = await startRuntime(always(answer));
    const key = makeKey();
    const models = [modelOf(), modelOf({ id: 'same', targets: [{ runtime: 'r', model: 'same' }] })];
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry], models };
    await using gateway = await startGateway(parts, { transport });
    const send = async (body: string | Uint8Array, headers = {}): Promise<string> => {
      const got = await ask(gateway.port, 'POST', '/v1/chat/completions', body, undefined, {
        ...key.headers,
        ...headers,
      });
      expect([got.status, got.body.toString()]).toEqual([200, answer]);
      return Buffer.from(lastOf(runtime).body, 'latin1').toString();
    };
    expect(await send(ODD)).toBe(ODD.replace('"demo"', '"up"'));
    const same = ODD.replace('"demo"', '"\\u0073ame"');
    expect(await send(same)).toBe(same);
    // What was compressed is sent plain, and says so.
    expect(await send(gzipSync(ODD), { 'content-encoding': 'gzip' })).toBe(ODD.replace('"demo"', '"up"'));
    expect(fieldOf(lastOf(runtime), 'content-encoding')).toBeUndefined();
    expect(fieldOf(lastOf(runtime), 'content-length')).toBe(String(Buffer.byteLength(ODD) - 2));
  });

  it('brings no key, cookie or field of its connection to the runtime, and its credential instead', async () => {
    await using runtime = await startRuntime(always(answer));
    const key = makeKey();
    const runtimes = [runtimeAt(runtime.url, { api_key: { env: 'RUNTIME_KEY' } })];
    const parts = { runtimes, virtual_keys: [key.entry], cors_origins: ['https://a.example'] };
    await using gateway = await startGateway(parts, { transport });
    const headers = {
      ...key.headers,
      'x-api-key': key.secret,
      cookie: 'a=1',
      connection: 'keep-alive, x-hop',
      'x-hop': '1',
      te: 'trailers',
      'proxy-authorization': 'Basic x',
      'x-forwarded-for': '10.0.0.1',
      origin: 'https://a.example',
      'openai-beta': 'assistants=v2',
      'user-agent': 'me/1',
    };
    const got = await ask(gateway.port, 'POST', '/v1/chat/completions?a=%20b', chatBody(), undefined, headers);
    expect(got.status).toBe(200);
    const asked = lastOf(runtime);
    expect([asked.method, asked.target]).toEqual(['POST', '/v1/chat/completions?a=%20b']);
    const names = asked.fields.map(([name]) => name.toLowerCase()).filter((name) => name !== 'connection');
    expect(names.toSorted()).toEqual(
      ['host', 'content-type', 'openai-beta', 'user-agent', 'authorization', 'content-length'].toSorted(),
    );
    expect(fieldOf(asked, 'authorization')).toBe('Bearer secret of {"from":"env","name":"RUNTIME_KEY"}');
    expect(JSON.stringify(asked)).not.toContain(key.secret);
    expect(fieldOf(asked, 'openai-beta')).toBe('assistants=v2');
  });

  it('has its key nowhere where the runtime wants none, in either header', async () => {
    await using runtime = await startRuntime(always(answer));
    const key = makeKey();
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    for (const headers of [key.headers, { 'x-api-key': key.secret }]) {
      const got = await ask(gateway.port, 'POST', '/v1/messages', chatBody(), undefined, headers);
      expect(got.status).toBe(200);
      expect(JSON.stringify(lastOf(runtime))).not.toMatch(/gwk_|authorization|x-api-key/i);
    }
  });

  it('parts the prompts of keys in runtimes that share them, and only there', async () => {
    await using runtime = await startRuntime(always(answer));
    const [a, b] = [makeKey('vk_a'), makeKey('vk_b')];
    const kinds = ['native-engine', 'vllm', 'sglang', 'ollama', 'llama.cpp', 'openai-compatible'];
    const parts: FileParts = {
      runtimes: kinds.map((kind) => runtimeAt(runtime.url, { id: kind, kind })),
      models: kinds.map((kind) => modelOf({ id: kind, targets: [{ runtime: kind, model: 'up' }] })),
      virtual_keys: [a.entry, b.entry],
    };
    await using gateway = await startGateway(parts, { transport });
    const saltOf = async (model: string, key = a, more: FileParts = {}): Promise<unknown> => {
      await chat(gateway, key, { model, ...more });
      return (JSON.parse(lastOf(runtime).body) as FileParts)['cache_salt'];
    };
    const salts = await inTurn(kinds, (kind) => saltOf(kind));
    expect(salts.map((salt) => typeof salt)).toEqual([
      ...Array<string>(3).fill('string'),
      ...Array<string>(3).fill('undefined'),
    ]);
    expect(new Set(salts.slice(0, 3)).size).toBe(1);
    expect(salts[0]).not.toContain('vk_a');
    const others = [
      await saltOf('vllm', b),
      await saltOf('vllm', a, { cache_salt: 'mine' }),
      await saltOf('vllm', b, { cache_salt: 'mine' }),
      // A key may not take on the salt of another.
      await saltOf('vllm', b, { cache_salt: salts[0] }),
    ];
    expect(new Set([salts[0], 'mine', ...others]).size).toBe(6);
    expect(await saltOf('vllm', a, { cache_salt: 'mine' })).toBe(others[1]);
    expect(await saltOf('ollama', a, { cache_salt: 'mine' })).toBe('mine');
  });

  it.each([
    ['openai-compatible', undefined, true],
    ['koboldcpp', 'inject', true],
    ['vllm', undefined, true],
    ['vllm', 'observe', false],
  ] as const)(
    'that streams asks a runtime of kind %s for usage with metering %s: %s',
    async (kind, metering, isAsked) => {
      await using runtime = await startRuntime((_, socket) => {
        const events = openEvents(socket);
        events.token();
        events.usage(5, 3);
        events.end();
      });
      const key = makeKey();
      const own = metering === undefined ? { kind } : { kind, metering };
      const parts = { runtimes: [runtimeAt(runtime.url, own)], virtual_keys: [key.entry] };
      await using gateway = await startGateway(parts, { transport });
      const got = await chat(gateway, key, { stream: true });
      expect(lastOf(runtime).body.includes('"stream_options":{"include_usage":true}')).toBe(isAsked);
      // Who did not ask sees what it would see without the gateway.
      expect(got.body.toString().includes('usage')).toBe(!isAsked);
      await expect.poll(() => gateway.lines, SOON).toMatchObject([{ prompt_tokens: 5, completion_tokens: 3 }]);
      await chat(gateway, key);
      expect(lastOf(runtime).body).not.toContain('stream_options');
    },
  );

  it('that streams is sent without the question to a runtime that refuses it, from then on at once', async () => {
    await using runtime = await startRuntime((asked, socket) => {
      if (asked.body.includes('stream_options'))
        return void socket.write(whole('{"error":{"message":"unknown field stream_options"}}', 400));
      const events = openEvents(socket);
      events.token();
      events.end();
    });
    const key = makeKey();
    await using gateway = await startGateway(
      { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] },
      { transport },
    );
    for (let i = 0; i < 2; i++) {
      const got = await chat(gateway, key, { stream: true });
      expect([got.status, got.body.toString().includes('[DONE]')]).toEqual([200, true]);
    }
    expect(runtime.asked.map(({ body }) => body.includes('stream_options'))).toEqual([true, false, false]);
    // A client that asks itself gets what the runtime says.
    const own = await chat(gateway, key, { stream: true, stream_options: { include_usage: true } });
    expect([own.status, errorOf(own)]).toEqual([400, { message: 'unknown field stream_options' }]);
  });

  it('of a path that the file lists reaches its runtime whole', async () => {
    await using runtime = await startRuntime(always('{"results":[]}'));
    const key = makeKey();
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry], passthrough: ['/v1/rerank'] };
    await using gateway = await startGateway(parts, { transport });
    const got = await ask(gateway.port, 'POST', '/v1/rerank?top=3', ODD, undefined, key.headers);
    expect([got.status, got.body.toString(), lastOf(runtime).target]).toEqual([
      200,
      '{"results":[]}',
      '/v1/rerank?top=3',
    ]);
    expect((await ask(gateway.port, 'POST', '/v1/other', ODD, undefined, key.headers)).status).toBe(404);
  });

  it('is refused where a key that is acted on stands twice', async () => {
    await using runtime = await startRuntime(always(answer));
    const key = makeKey();
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    for (const body of ['{"model":"demo","model":"x","messages":[]}', '{"model":"demo","Model":"x","messages":[]}']) {
      const got = await ask(gateway.port, 'POST', '/v1/chat/completions', body, undefined, key.headers);
      expect([got.status, got.body.toString()]).toEqual([400, expect.stringContaining('request_key_ambiguous')]);
    }
    const twice = '{"model":"demo","messages":[],"seed":1,"seed":2}';
    expect((await ask(gateway.port, 'POST', '/v1/chat/completions', twice, undefined, key.headers)).status).toBe(200);
    expect(runtime.asked).toHaveLength(1);
  });
});

async function inTurn<T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<U[]> {
  const done: U[] = [];
  for (const item of items) done.push(await work(item));
  return done;
}
