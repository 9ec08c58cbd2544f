import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { overTransports, signalOf } from '../../http/over-transports.js';
import { ask } from '../../relay/raw-upstream.js';
import { chat, chatBody, errorOf, headerOf, makeKey, modelOf, runtimeAt, startGateway, SOON } from './start-gateway.js';
import { always, completion, openEvents, startRuntime, whole, type Play } from './runtime.js';

const answer = completion(3, 2);
const cli = { kind: 'cli' };

overTransports('limits', (transport) => {
  it('of requests and tokens a minute and of parallel requests hold, and every answer says what is left', async () => {
    const begun = signalOf();
    let held: Socket | undefined;
    const play: Play = (_, socket) => {
      held = socket;
      begun.resolve();
    };
    await using slow = await startRuntime(play);
    await using runtime = await startRuntime(always(answer, 200, ['X-RateLimit-Limit-Requests: 9', 'Retry-After: 5']));
    const [byRequests, byTokens, one] = [
      makeKey('vk_a', { limits: { requests_per_minute: 3, tokens_per_minute: 10_000 } }),
      makeKey('vk_b', { limits: { tokens_per_minute: 120 } }),
      makeKey('vk_c', { limits: { parallel_requests: 1 } }),
    ];
    const parts = {
      runtimes: [runtimeAt(runtime.url), runtimeAt(slow.url, { id: 's' })],
      models: [modelOf(), modelOf({ id: 'slow', targets: [{ runtime: 's', model: 'up' }] })],
      virtual_keys: [byRequests, byTokens, one].map(({ entry }) => entry),
    };
    await using gateway = await startGateway(parts, { transport });
    for (const left of ['2', '1', '0']) {
      const got = await chat(gateway, byRequests, { max_tokens: 5 });
      expect([got.status, headerOf(got, 'x-ratelimit-limit-requests')]).toEqual([200, '3']);
      expect(headerOf(got, 'x-ratelimit-remaining-requests')).toBe(left);
      expect(headerOf(got, 'x-ratelimit-limit-tokens')).toBe('10000');
      expect(Number(headerOf(got, 'x-ratelimit-remaining-tokens'))).toBeGreaterThan(9_900);
      expect(headerOf(got, 'x-ratelimit-reset-requests')).toMatch(/^(?:\d+m)?\d+s$/);
      expect(headerOf(got, 'retry-after')).toBe('5');
    }
    const fourth = await chat(gateway, byRequests);
    expect([fourth.status, errorOf(fourth)]).toEqual([
      429,
      {
        message: expect.stringContaining('3 requests a minute') as string,
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
      },
    ]);
    expect(Number(headerOf(fourth, 'retry-after'))).toBeGreaterThan(0);
    expect(Number(headerOf(fourth, 'retry-after-ms'))).toBeGreaterThan(0);
    // 20 at most for the prompt and 50 of the answer, of which 5 are used.
    for (const status of [200, 200, 200])
      expect((await chat(gateway, byTokens, { max_tokens: 50 })).status).toBe(status);
    const many = await chat(gateway, byTokens, { max_tokens: 110 });
    expect([many.status, errorOf(many)['code']]).toEqual([429, 'rate_limit_exceeded']);
    const first = chat(gateway, one, { model: 'slow' });
    await begun.promise;
    const second = await chat(gateway, one);
    expect([second.status, errorOf(second)['code'], headerOf(second, 'retry-after')]).toEqual([
      429,
      'rate_limit_exceeded',
      '1',
    ]);
    held?.write(whole(answer));
    expect((await first).status).toBe(200);
    expect((await chat(gateway, one)).status).toBe(200);
  });

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

  it.each(['disabled', 'revoked', 'taken out of the file', 'expired', 'past its grace'])(
    'end the streams of a key that is %s within a second, with an event that says so, and its waiting requests with 401',
    async (how) => {
      let offsetMs = 0;
      const waiting = signalOf();
      const left = [signalOf(), signalOf()];
      await using runtime = await startRuntime(({ body }, socket) => {
        const isStream = body.includes('"stream":true');
        if (isStream) openEvents(socket).token();
        socket.once('close', () => left[isStream ? 0 : 1]?.resolve());
        if (!isStream) waiting.resolve();
      });
      const soon = new Date(Date.now() + 60_000).toISOString();
      const [key, other] = [makeKey('vk_a', how === 'expired' ? { expires_at: soon } : {}), makeKey('vk_b')];
      const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry, other.entry] };
      await using gateway = await startGateway(parts, { transport, now: () => Date.now() + offsetMs });
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
      if (how === 'past its grace') await gateway.meter.rotateKey('vk_a', 60_000, cli);
      const start = performance.now();
      if (how === 'disabled' || how === 'revoked') await gateway.meter.setKeyState('vk_a', how, cli);
      else if (how === 'taken out of the file') await gateway.rewrite({ virtual_keys: [other.entry] });
      else offsetMs = 61_000;
      const last = Buffer.from((await reader?.read())?.value ?? []).toString();
      expect((await reader?.read())?.done).toBe(true);
      const refused = await waited;
      expect(performance.now() - start).toBeLessThan(1_500);
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
