import { expect, it } from 'vitest';
import { overTransports, signalOf } from '../../http/over-transports.js';
import { ask } from '../../relay/raw-upstream.js';
import { chat, makeKey, modelOf, runtimeAt, startGateway } from './start-gateway.js';
import { always, completion, openEvents, startRuntime } from './runtime.js';
import { chatBody, errorOf, headerOf, SOON } from '../../support/start-product.js';
import { expectWithin } from '../../support/elapsed.js';

const cli = { kind: 'cli' };

overTransports('limits', (transport) => {
  it('of several budgets hold together', async () => {
    await using runtime = await startRuntime(always(completion(10, 10)));
    const budget = (tokens: number, window: string): object => ({ tokens, window });
    const money = (amount: string, window: string): object => ({ amount, currency: 'EUR', window });
    const keys = [
      makeKey('vk_a', { limits: { budget: [budget(100, 'day'), budget(10_000, 'month')] } }),
      makeKey('vk_b', { limits: { budget: [budget(10_000, 'day'), budget(100, 'total')] } }),
      makeKey('vk_c', { limits: { budget: [budget(10_000, 'day'), money('0.0001', 'week')] } }),
    ];
    // 20 tokens of an answer cost 20 micro-euros.
    const price = { input_per_million: '1.00', output_per_million: '1.00', currency: 'EUR' };
    const parts = {
      runtimes: [runtimeAt(runtime.url)],
      models: [modelOf({ price })],
      virtual_keys: keys.map(({ entry }) => entry),
    };
    await using gateway = await startGateway(parts, { transport });
    const windows = ['day', 'total', 'week'];
    for (const [i, key] of keys.entries()) {
      const statuses: number[] = [];
      for (let n = 0; n < 6; n++) statuses.push((await chat(gateway, key, { max_tokens: 10 })).status);
      // Of 100 each takes 20, and the last needs room for what it may at most.
      expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
      const refused = await chat(gateway, key, { max_tokens: 10 });
      expect(errorOf(refused)).toMatchObject({
        type: 'budget_exceeded',
        code: 'insufficient_quota',
        message: expect.stringContaining(`(${windows[i]})`) as string,
      });
      expect(headerOf(refused, 'x-should-retry')).toBe('false');
      // When its window ends; one that never does is worth a look a day later.
      const seconds = Number(headerOf(refused, 'retry-after'));
      expect(i === 1 ? seconds === 86_400 : seconds > 0 && seconds <= 7 * 86_400).toBe(true);
      expect(headerOf(refused, 'x-ratelimit-remaining')).toBe('0');
      expect(headerOf(refused, 'x-ratelimit-reset')).toBe(headerOf(refused, 'retry-after'));
      const id = String(key.entry['id']);
      await expect.poll(() => gateway.meter.usageOf(id).runningRequests, SOON).toBe(0);
      const { budgets } = gateway.meter.usageOf(id);
      expect(budgets.map(({ used, held }) => [used, held])).toEqual([
        [80n, 0n],
        [80n, 0n],
      ]);
    }
  });

  it('of output tokens of a key and of a model hold, and each choice and prompt counts', async () => {
    await using runtime = await startRuntime(always(completion(10, 10)));
    const keys = [
      makeKey('vk_a', { limits: { max_output_tokens: 50 } }),
      makeKey('vk_b', { limits: { budget: { tokens: 1_000, window: 'day' } } }),
    ];
    const parts = {
      runtimes: [runtimeAt(runtime.url)],
      models: [modelOf(), modelOf({ id: 'small', max_output_tokens: 30 })],
      virtual_keys: keys.map(({ entry }) => entry),
    };
    await using gateway = await startGateway(parts, { transport });
    const [a, b] = keys;
    if (a === undefined || b === undefined) throw new Error('two keys');
    const statusOf = async (key: typeof a, more: object, path = '/v1/chat/completions'): Promise<number> =>
      (await ask(gateway.port, 'POST', path, chatBody({ ...more }), undefined, key.headers)).status;
    expect(await statusOf(a, { max_tokens: 50 })).toBe(200);
    expect(await statusOf(a, { max_completion_tokens: 51 })).toBe(400);
    expect(await statusOf(a, { model: 'small', max_tokens: 31 })).toBe(400);
    expect(await statusOf(b, { model: 'small', max_output_tokens: 31 }, '/v1/responses')).toBe(400);
    expect(await statusOf(b, { model: 'small', max_tokens: 30 })).toBe(200);
    const refused = await chat(gateway, a, { max_tokens: 60 });
    expect(errorOf(refused)).toMatchObject({ code: 'invalid_value', param: 'max_tokens' });
    // 980 are left: room for 9 answers of 100, and not for 10.
    const prompts = (count: number): object => ({
      messages: undefined,
      prompt: Array.from({ length: count }, () => 'a'),
    });
    expect(await statusOf(b, { n: 10, max_tokens: 100 })).toBe(429);
    expect(await statusOf(b, { n: 9, max_tokens: 100 })).toBe(200);
    expect(await statusOf(b, { best_of: 10, max_tokens: 100 })).toBe(429);
    expect(await statusOf(b, { ...prompts(10), max_tokens: 100 }, '/v1/completions')).toBe(429);
    expect(await statusOf(b, { ...prompts(3), n: 4, max_tokens: 100 }, '/v1/completions')).toBe(429);
    expect(await statusOf(b, { ...prompts(2), n: 4, max_tokens: 100 }, '/v1/completions')).toBe(200);
    expect(await statusOf(b, { ...prompts(1_500), n: 2 }, '/v1/completions')).toBe(400);
    expect(await statusOf(b, { n: 10, max_tokens: 100, stream: true })).toBe(200);
  });

  it("of output tokens end a stream that asks for none, and one that asks for fewer is its runtime's to end", async () => {
    await using runtime = await startRuntime((_, socket) => {
      const events = openEvents(socket);
      for (let i = 0; i < 60; i++) events.token();
      events.end();
    });
    const key = makeKey('vk_a', { limits: { max_output_tokens: 50 } });
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const cut = await chat(gateway, key, { stream: true });
    const events = cut.body.toString().split('\n\n');
    expect([cut.isBroken, events.filter((event) => event.includes('" a"')).length <= 50]).toEqual([false, true]);
    expect(JSON.parse(events.at(-2)?.slice('data: '.length) ?? '')).toMatchObject({
      error: { code: 'output_limit_reached' },
    });
    // It counts otherwise than we do, or ends a little late.
    const late = await chat(gateway, key, { stream: true, max_tokens: 50 });
    expect(late.body.toString().endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it.each(['revoked', 'taken out of the file'])(
    'end the streams of a key that is %s within a second, with an event that says so, and its waiting requests with 401',
    async (how) => {
      const waiting = signalOf();
      const left = [signalOf(), signalOf()];
      await using runtime = await startRuntime(({ body }, socket) => {
        const isStream = body.includes('"stream":true');
        if (isStream) openEvents(socket).token();
        socket.once('close', () => left[isStream ? 0 : 1]?.resolve());
        if (!isStream) waiting.resolve();
      });
      const [key, other] = [makeKey(), makeKey('vk_b')];
      const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry, other.entry] };
      await using gateway = await startGateway(parts, { transport });
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: key.headers,
        body: chatBody({ stream: true }),
      });
      const reader = response.body?.getReader();
      const first = Buffer.from((await reader?.read())?.value ?? []).toString();
      expect([response.status, first]).toEqual([200, expect.stringMatching(/" a".*\n\n$/s)]);
      const waited = chat(gateway, key);
      await waiting.promise;
      const start = performance.now();
      if (how === 'revoked') await gateway.meter.setKeyState('vk_a', how, cli);
      else await gateway.rewrite({ virtual_keys: [other.entry] });
      const last = Buffer.from((await reader?.read())?.value ?? []).toString();
      expect((await reader?.read())?.done).toBe(true);
      const refused = await waited;
      expectWithin(1_500, start);
      expect(JSON.parse(last.slice('data: '.length))).toMatchObject({
        error: { type: 'authentication_error', code: 'invalid_api_key' },
      });
      expect([refused.status, errorOf(refused)['code']]).toEqual([401, 'invalid_api_key']);
      // The runtime sees the end of its connection, too.
      await Promise.all(left.map(({ promise }) => promise));
      const { meter } = gateway;
      await expect.poll(() => meter.keys().every(({ id }) => meter.usageOf(id).runningRequests === 0), SOON).toBe(true);
    },
  );
});
