import { Agent, request as send } from 'node:http';
import { expect, it } from 'vitest';
import { AppError, present } from '../../../src/base/index.js';
import type { Meter } from '../../../src/metering/index.js';
import { overTransports, signalOf, until } from '../../http/over-transports.js';
import { ask } from '../../relay/raw-upstream.js';
import { chat, makeKey, modelOf, runtimeAt, startGateway, type TestKey } from './start-gateway.js';
import { completion, fieldOf, openEvents, startRuntime, whole, type Play } from './runtime.js';
import { chatBody, errorOf, SOON } from '../../support/start-product.js';
import { startWordyRuntime } from './wordy-runtime.js';

const TOKEN = '"content":" a"';
const CASE = 'x-request-id';

const CUT = expect.stringContaining('cut') as string;
const OPENAI_ERROR = { error: { message: CUT, type: 'budget_exceeded', param: null, code: 'insufficient_quota' } };

/** What a client of a budget saw. */
interface Seen {
  readonly id: string;
  readonly status: number;
  readonly tokens: number;
  readonly text: string;
  readonly hasLeft: boolean;
}

const countTokens = (text: string): number => text.split(TOKEN).length - 1;

/** Sends a chat, counts its tokens, and leaves after `leaveAt` of them. */
function drink(port: number, key: TestKey, agent: Agent, id: string, body: string, leaveAt = Infinity): Promise<Seen> {
  return new Promise((resolve, reject) => {
    let text = '';
    const headers = { ...key.headers, [CASE]: id, 'content-type': 'application/json' };
    const request = send({ port, host: '127.0.0.1', method: 'POST', path: '/v1/chat/completions', agent, headers });
    request.on('error', reject);
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const done = (hasLeft: boolean): void => {
        resolve({ id, status, tokens: countTokens(text), text, hasLeft });
      };
      response.setEncoding('latin1');
      response.on('data', (piece: string) => {
        text += piece;
        if (leaveAt === Infinity || countTokens(text) < leaveAt) return;
        done(true);
        response.destroy();
      });
      response.on('end', () => done(false));
      response.on('error', () => done(true));
    });
    request.end(body);
  });
}

/** What was left whenever a budget had no room for a request. */
function watchRefusals(meter: Meter, keyId: string): { left: bigint }[] {
  const seen: { left: bigint }[] = [];
  const admit = meter.admit.bind(meter);
  const watched: Meter['admit'] = async (request) => {
    // What the ledger is about to look at, in this same turn.
    const { limit, used, held } = present(meter.usageOf(keyId).budgets[0], 'the key has a budget');
    try {
      return await admit(request);
    } catch (error) {
      if (error instanceof AppError && error.code === 'budget_exceeded') seen.push({ left: limit - used - held });
      throw error;
    }
  };
  Object.assign(meter, { admit: watched });
  return seen;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

overTransports('a budget', (transport) => {
  it.each([
    ['one thread', 0],
    ['two threads', 2],
  ])(
    'of 1,000 requests at once is never overspent, over %s, and refuses none while there is room',
    async (_, relayThreads) => {
      const [COUNT, LIMIT] = [1_000, 60_000];
      const allAreHere = signalOf();
      /** What the runtime has produced, by request. */
      const produced = new Map<string, number>();
      const play: Play = async (asked, socket) => {
        const id = fieldOf(asked, CASE) ?? '';
        const count = 1 + (Number(id.slice(1)) % 97);
        await allAreHere.promise;
        if (!asked.body.includes('"stream":true')) {
          produced.set(id, count);
          return void socket.write(whole(completion(10, count)));
        }
        const events = openEvents(socket);
        for (let i = 1; i <= count && !socket.destroyed; i++) {
          produced.set(id, i);
          events.token();
          if (i % 16 === 0) await nextTurn();
        }
        // Those that leave do so at this token, so that all that was produced has been seen.
        if (id.startsWith('l')) return;
        events.usage(10, count);
        events.end();
      };
      await using runtime = await startRuntime(play);
      const key = makeKey('vk_a', { limits: { budget: { tokens: LIMIT, window: 'month' } } });
      const parts = { runtimes: [runtimeAt(runtime.url, { kind: 'vllm' })], virtual_keys: [key.entry] };
      await using gateway = await startGateway(parts, { transport, relayThreads });
      const refusals = watchRefusals(gateway.meter, 'vk_a');
      const agent = new Agent({ keepAlive: true, maxSockets: COUNT });
      const seen: Seen[] = [];
      const drinkTwice = async (i: number): Promise<void> => {
        const leaves = i % 20 === 7;
        const stream = leaves || i % 4 > 0;
        const body = chatBody(stream ? { stream } : { max_tokens: 97 });
        for (const number of [i, i + COUNT]) {
          const at = leaves ? 1 + (number % 97) : Infinity;
          seen.push(await drink(gateway.port, key, agent, `${leaves ? 'l' : 'r'}${number}`, body, at));
        }
      };
      const clients: Promise<void>[] = [];
      while (clients.length < COUNT) {
        // No more at a time than a system lets wait for their connection.
        for (let i = 0; i < 200; i++) clients.push(drinkTwice(clients.length));
        await until(() => runtime.asked.length + refusals.length >= clients.length);
      }
      allAreHere.resolve();
      await Promise.all(clients);
      const { meter } = gateway;
      await expect.poll(() => meter.usageOf('vk_a').runningRequests, SOON).toBe(0);
      // Clients that gave up while others held what was left: one after the other they have all of it.
      for (let i = 10_000, status = 200; i < 11_000 && status === 200; i++) {
        const one = await drink(gateway.port, key, agent, `r${i}`, chatBody({ stream: true }));
        seen.push(one);
        ({ status } = one);
      }
      // Any other end of it, such as a runtime that counts as away, shows its answer.
      expect(seen.at(-1)).toMatchObject({ status: 429, text: expect.stringContaining('budget_exceeded') as string });
      agent.destroy();
      await expect.poll(() => meter.usageOf('vk_a').runningRequests, SOON).toBe(0);
      await expect.poll(() => gateway.lines.length, SOON).toBe(seen.length);
      const { used, held } = present(meter.usageOf('vk_a').budgets[0], 'the key has a budget');
      expect(held).toBe(0n);
      expect(used).toBeLessThanOrEqual(BigInt(LIMIT));
      // What is left is less than the least that the next request needs: its prompt at most, and a token.
      expect(used).toBeGreaterThan(BigInt(LIMIT - 30));
      expect(refusals.length).toBe(seen.filter(({ status }) => status === 429).length);
      // One that is not streamed needs all that it may have at most.
      expect(refusals.filter(({ left }) => left >= 30 + 97)).toEqual([]);
      await expect.poll(() => meter.requests({ limit: 10_000 }).length, SOON).toBe(seen.length);
      const rows = new Map(meter.requests({ limit: 10_000 }).map((row) => [row.requestId, row]));
      const wrong = seen.filter(({ id, status, tokens, text }) => {
        const row = rows.get(id);
        if (row === undefined || row.status === undefined) return true;
        if (status !== 200) return row.completionTokens !== 0 || row.promptTokens !== 0;
        const isCut = text.includes('insufficient_quota');
        const isStream = text.startsWith('data:');
        if (isStream && tokens !== row.completionTokens) return true;
        return !isCut && row.completionTokens !== produced.get(id);
      });
      expect(
        wrong.map(({ id, status, tokens, hasLeft }) => [id, status, tokens, hasLeft, rows.get(id), produced.get(id)]),
      ).toEqual([]);
      const charged = [...rows.values()].reduce((sum, row) => sum + row.promptTokens + row.completionTokens, 0);
      expect(BigInt(charged)).toBe(used);
      expect(meter.usage({ by: 'key' })[0]).toMatchObject({ chargedTokens: charged, unchargedTokens: 0 });
      expect(seen.filter(({ hasLeft }) => hasLeft).length).toBeGreaterThan(10);
    },
  );

  it.each([
    ['/v1/chat/completions', '{"choices":[{"index":0,"delta":{"content":" a"}}]}', OPENAI_ERROR],
    ['/v1/completions', '{"choices":[{"index":0,"text":" a"}]}', OPENAI_ERROR],
    [
      '/v1/responses',
      '{"type":"response.output_text.delta","delta":" a"}',
      { type: 'error', code: 'insufficient_quota', message: CUT, param: null },
    ],
    [
      '/v1/messages',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" a"}}',
      { type: 'error', error: { type: 'rate_limit_error', code: 'insufficient_quota', message: CUT } },
    ],
  ])('that a stream of %s outgrows cuts it with a final event that says so', async (path, token, last) => {
    await using runtime = await startRuntime(async (_, socket) => {
      const events = openEvents(socket);
      while (!socket.destroyed) {
        events.write(`data: ${token}\n\n`);
        await nextTurn();
      }
    });
    const key = makeKey('vk_a', { limits: { budget: { tokens: 400, window: 'month' } } });
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const got = await ask(gateway.port, 'POST', path, chatBody({ stream: true }), undefined, key.headers);
    expect([got.status, got.isBroken]).toEqual([200, false]);
    const events = got.body.toString().split('\n\n');
    expect(events.at(-1)).toBe('');
    expect(JSON.parse(events.at(-2)?.replace(/^(?:event: error\n)?data: /, '') ?? '')).toEqual(last);
    const tokens = got.body.toString().split(token).length - 1;
    await expect.poll(() => gateway.meter.usageOf('vk_a').runningRequests, SOON).toBe(0);
    const [budget] = gateway.meter.usageOf('vk_a').budgets;
    // The prompt counts as its bytes say; what its bound held beyond that comes back with the end.
    expect(tokens).toBeGreaterThan(360);
    expect(budget).toMatchObject({ held: 0n });
    expect(Number(budget?.used)).toBeLessThanOrEqual(400);
    expect(Number(budget?.used)).toBeGreaterThan(tokens);
    expect(gateway.meter.usage({ by: 'key' })).toMatchObject([{ completionTokens: tokens, unchargedTokens: 0 }]);
    await expect.poll(() => gateway.lines.at(-1), SOON).toMatchObject({ status: 200, code: 'budget_exceeded' });
    await expect.poll(() => runtime.open(), SOON).toBeLessThan(2);
  });

  it.each<[string, Play, number]>([
    ['that its runtime refuses', (_, socket) => void socket.write(whole('{"error":{"message":"no"}}', 400)), 400],
    ['that its runtime fails', (_, socket) => void socket.write(whole('{"error":{"message":"no"}}', 500)), 500],
    ['that its runtime drops', (_, socket) => void socket.destroy(), 502],
    [
      'that ends before its first byte',
      (_, socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'),
      200,
    ],
    [
      'that ends before its first token',
      (_, socket) => {
        const events = openEvents(socket);
        events.write('data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n');
        setImmediate(() => socket.destroy());
      },
      200,
    ],
  ])('is not charged a request %s', async (_, play, status) => {
    await using runtime = await startRuntime(play);
    const key = makeKey('vk_a', { limits: { budget: { tokens: 400, window: 'month' } } });
    await using gateway = await startGateway(
      { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] },
      { transport },
    );
    for (const stream of [true, false]) {
      const got = await chat(gateway, key, { stream, max_tokens: 10 }).catch(() => undefined);
      // Over uws a head that no byte follows is lost with its connection.
      expect(got?.status ?? 200).toBe(status);
      if (got !== undefined && status === 502)
        expect(errorOf(got)).toMatchObject({ type: 'server_error', code: 'upstream_error' });
    }
    await expect.poll(() => gateway.lines.length, SOON).toBe(2);
    await expect.poll(() => gateway.meter.usageOf('vk_a').runningRequests, SOON).toBe(0);
    expect(gateway.meter.usageOf('vk_a')).toMatchObject({ runningRequests: 0, budgets: [{ used: 0n, held: 0n }] });
  });

  it('is charged an embedding by its prompt', async () => {
    await using runtime = await startRuntime((_, socket) => {
      socket.write(whole('{"data":[{"embedding":[1]}],"usage":{"prompt_tokens":7,"total_tokens":7}}'));
    });
    const key = makeKey('vk_a', { limits: { budget: { tokens: 400, window: 'month' } } });
    const parts = { runtimes: [runtimeAt(runtime.url)], models: [modelOf()], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const body = JSON.stringify({ model: 'demo', input: ['a', 'b'] });
    const init = { method: 'POST', headers: key.headers, body };
    expect((await fetch(`${gateway.url}/v1/embeddings`, init)).status).toBe(200);
    await expect.poll(() => gateway.meter.usageOf('vk_a'), SOON).toMatchObject({ budgets: [{ used: 7n, held: 0n }] });
  });
});

it('a budget does not end an answer that it can pay, whatever an estimate says', async () => {
  // Ten tokens of ideographs are some hundred by an estimate.
  await using runtime = await startWordyRuntime({
    pieces: Array.from({ length: 10 }, () => '习近平新时代中国特色社会主义思想'),
    told: 10,
  });
  const key = makeKey('vk_a', { limits: { budget: { tokens: 60, window: 'day' } } });
  await using gateway = await startGateway({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
  const got = await chat(gateway, key, { stream: true });
  expect(got.body.toString()).toMatch(/\[DONE\]\n\n$/);
  await expect.poll(() => gateway.meter.usageOf('vk_a').budgets[0]?.used, SOON).toBe(19n);
});
