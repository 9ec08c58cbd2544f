import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toTokenPrice, type UsageQuery } from '../../src/metering/index.js';
import { codeOfFailure, newKey, newRequest, NOON_MS, openTestMeter, used, type TestMeter } from './open-test-meter.js';

let test: TestMeter;
beforeEach(async () => void (test = await openTestMeter()));
afterEach(async () => test[Symbol.asyncDispose]());

const setKey = (...args: Parameters<typeof newKey>): void => test.meter.setFileKeys([newKey(...args)]);
const DAY_MS = 86_400_000;

describe('a hold', () => {
  it('is a slice at first, grows while the answer streams, and is charged what was used', async () => {
    setKey({ budgets: [{ tokens: 10_000, window: 'month' }] });
    const hold = await test.meter.admit(newRequest());
    expect(hold.grantedTokens).toBe(256);
    expect(test.meter.usageOf('vk_1')).toMatchObject({ runningRequests: 1, budgets: [{ used: 0n, held: 266n }] });
    // The first call waits until the database knows that the answer began.
    const first = hold.allow(1);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toBe(true);
    for (let tokens = 2; tokens <= 128; tokens++) expect(hold.allow(tokens)).toBe(true);
    // Half a slice before its end it is extended behind the stream's back.
    expect(hold.allow(129)).toBe(true);
    await expect.poll(() => hold.grantedTokens).toBe(385);
    expect(await hold.allow(2000)).toBe(true);
    expect(hold.grantedTokens).toBe(2256);
    await hold.settle(used(8, 2000));
    expect(hold.allow(2001)).toBe(false);
    expect(test.meter.usageOf('vk_1')).toMatchObject({ runningRequests: 0, budgets: [{ used: 2008n, held: 0n }] });
    // Again changes nothing.
    await hold.settle(used(8, 3000));
    expect(test.meter.usage({ by: 'model' })).toMatchObject([{ name: 'small', requests: 1, chargedTokens: 2008 }]);
  });

  it('says when the answer must be cut, at the last token that a budget pays for', async () => {
    setKey({
      budgets: [
        { tokens: 400, window: 'total' },
        { tokens: 10_000, window: 'day' },
      ],
    });
    const hold = await test.meter.admit(newRequest());
    let tokens = 0;
    while (await hold.allow(tokens + 1)) tokens++;
    expect(tokens).toBe(390);
    await hold.settle(used(10, tokens));
    expect(test.meter.usageOf('vk_1').budgets[0]).toMatchObject({ used: 400n, held: 0n });
    expect(await codeOfFailure(() => test.meter.admit(newRequest()))).toBe('budget_exceeded');
  });

  it('of money is in micro-units of the price, and several budgets hold together', async () => {
    const price = toTokenPrice({ inputPerMillion: '1.00', outputPerMillion: '3.00', currency: 'EUR' });
    setKey({
      budgets: [
        { amountMicro: 900n, currency: 'EUR', window: 'month' },
        { tokens: 5000, window: 'day' },
      ],
    });
    const hold = await test.meter.admit(newRequest({ price }));
    expect(test.meter.usageOf('vk_1').budgets[0]).toMatchObject({ currency: 'EUR', held: 778n });
    expect([await hold.allow(296), await hold.allow(297)]).toEqual([true, false]);
    await hold.settle(used(7, 100, { cachedTokens: 3, reasoningTokens: 50 }));
    expect(test.meter.usageOf('vk_1').budgets).toMatchObject([
      { used: 307n, held: 0n },
      { used: 107n, held: 0n },
    ]);
    const [row] = test.meter.usage({ by: 'key' });
    expect(row).toMatchObject({ currency: 'EUR', costMicro: 307n, cachedTokens: 3, reasoningTokens: 50 });
  });

  it('costs nothing when its request failed before its first token, and what was produced when it was aborted', async () => {
    setKey({ budgets: [{ tokens: 1000, window: 'week' }] });
    const [failed, aborted] = [await test.meter.admit(newRequest()), await test.meter.admit(newRequest())];
    await failed.settle(used(10, 0, { began: false }));
    await aborted.allow(5);
    await aborted.settle(used(9, 5, { isEstimated: true }));
    expect(test.meter.usageOf('vk_1').budgets).toMatchObject([{ used: 14n, held: 0n }]);
    expect(test.meter.usage({ by: 'day' })).toMatchObject([{ name: '2026-11-26', requests: 2, estimatedRequests: 1 }]);
  });

  it('that a runtime counted more for than any budget has is charged up to the budget, and the rest is shown as uncharged', async () => {
    setKey({ budgets: [{ tokens: 300, window: 'day' }] });
    const hold = await test.meter.admit(newRequest());
    await hold.settle(used(1_000_000, Number.NaN));
    expect(test.meter.usageOf('vk_1').budgets).toMatchObject([{ used: 300n, held: 0n }]);
    expect(test.meter.usage({ by: 'key' })).toMatchObject([{ chargedTokens: 300, unchargedTokens: 999_700 }]);
    expect(test.entries).toMatchObject([{ event: 'usage beyond every budget', key_id: 'vk_1', tokens: 999_700 }]);
  });

  it('of an answer that cannot be cut is its whole limit, for each choice', async () => {
    setKey({ budgets: [{ tokens: 1000, window: 'day' }] });
    const whole = { outputTokensBound: 200, choices: 4 };
    const hold = await test.meter.admit(newRequest(whole));
    expect(hold.grantedTokens).toBe(800);
    expect(await codeOfFailure(() => test.meter.admit(newRequest(whole)))).toBe('budget_exceeded');
    expect(await hold.allow(800)).toBe(true);
    await hold.settle(used(10, 700));
  });
});

describe('limits', () => {
  it('a minute refuse with the time to wait, and let through after it', async () => {
    setKey({ requestsPerMinute: 2, tokensPerMinute: 600 });
    const holds = [await test.meter.admit(newRequest()), await test.meter.admit(newRequest())];
    const refused: unknown = await test.meter.admit(newRequest()).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'rate_limit_exceeded',
      details: { limit: 'requests_per_minute', retryAfterMs: 60_500 },
    });
    expect(test.meter.limitState('vk_1')).toEqual({
      requests: { limit: 2, remaining: 0, resetMs: 60_500 },
      tokens: { limit: 600, remaining: 68, resetMs: 60_500 },
    });
    await Promise.all(holds.map((hold) => hold.settle(used(10, 20))));
    expect(test.meter.limitState('vk_1').tokens).toMatchObject({ remaining: 540 });
    test.clock.advance(60_499);
    expect(await codeOfFailure(() => test.meter.admit(newRequest()))).toBe('rate_limit_exceeded');
    test.clock.advance(1);
    await test.meter.admit(newRequest({ promptTokensBound: 300 }));
    const big = await test.meter.admit(newRequest({ promptTokensBound: 300 })).catch((error: unknown) => error);
    expect(big).toMatchObject({ details: { limit: 'tokens_per_minute' } });
  });

  it('a minute do not care when the wall clock jumps by an hour, and windows do not open again', async () => {
    setKey({ requestsPerMinute: 1, budgets: [{ tokens: 1000, window: 'day' }] });
    await (await test.meter.admit(newRequest())).settle(used(10, 90));
    for (const jump of [3_600_000, -3_600_000]) {
      test.wall.ms += jump;
      expect(await codeOfFailure(() => test.meter.admit(newRequest()))).toBe('rate_limit_exceeded');
    }
    // To a minute past midnight, and back by an hour.
    test.wall.ms = NOON_MS + DAY_MS / 2 + 60_000 - test.clock.nowMs();
    expect(test.meter.usageOf('vk_1').budgets).toMatchObject([{ used: 0n, resetsAtMs: NOON_MS + DAY_MS * 1.5 }]);
    test.clock.advance(61_000);
    await (await test.meter.admit(newRequest())).settle(used(10, 40));
    test.wall.ms -= 3_600_000;
    expect(test.meter.usageOf('vk_1').budgets).toMatchObject([{ used: 50n, resetsAtMs: NOON_MS + DAY_MS * 1.5 }]);
    // A clock that was wrong by a day shows the day again that it comes from, with what was used in it.
    test.wall.ms -= DAY_MS / 2;
    expect(test.meter.usageOf('vk_1').budgets).toMatchObject([{ used: 100n }]);
  });

  it('of parallel requests count what is open', async () => {
    setKey({ parallelRequests: 2 });
    const holds = [await test.meter.admit(newRequest()), await test.meter.admit(newRequest())];
    const refused: unknown = await test.meter.admit(newRequest()).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'rate_limit_exceeded', details: { limit: 'parallel_requests', value: 2 } });
    await holds[0]?.settle(used(1, 1));
    await test.meter.admit(newRequest());
  });

  it('keep what was used over a change of the file, and over a new start', async () => {
    const key = newKey({ budgets: [{ tokens: 1000, window: 'month' }] });
    test.meter.setFileKeys([key]);
    await (await test.meter.admit(newRequest())).settle(used(100, 200));
    test.meter.setFileKeys([
      {
        ...key,
        limits: {
          budgets: [
            { tokens: 2000, window: 'day' },
            { tokens: 9, window: 'total' },
          ],
        },
      },
    ]);
    expect(test.meter.usageOf('vk_1').budgets).toMatchObject([{ used: 300n }, { used: 300n, limit: 9n }]);
    await test.reopen();
    test.meter.setFileKeys([key]);
    expect(test.meter.usageOf('vk_1').budgets).toMatchObject([{ used: 300n, held: 0n }]);
    test.wall.ms += 5 * DAY_MS;
    expect(test.meter.usageOf('vk_1').budgets).toMatchObject([{ used: 0n }]);
  });

  it('are sums of usage by key, model and day, of the days that are asked for', async () => {
    setKey();
    for (const model of ['a', 'b', 'b']) await (await test.meter.admit(newRequest({ model }))).settle(used(1, 2));
    test.wall.ms += DAY_MS;
    await (await test.meter.admit(newRequest({ model: 'a' }))).settle(used(10, 20));
    const names = (query: UsageQuery): unknown[] =>
      test.meter.usage(query).map(({ name, requests, chargedTokens }) => [name, requests, chargedTokens]);
    expect(names({ by: 'key' })).toEqual([['vk_1', 4, 39]]);
    expect(names({ by: 'key', keyId: 'vk_2' })).toEqual([]);
    expect(names({ by: 'model', to: NOON_MS })).toEqual([
      ['a', 1, 3],
      ['b', 2, 6],
    ]);
    expect(names({ by: 'day', model: 'a' })).toEqual([
      ['2026-11-26', 1, 3],
      ['2026-11-27', 1, 30],
    ]);
    expect(names({ by: 'day', from: NOON_MS + DAY_MS / 2 })).toEqual([['2026-11-27', 1, 30]]);
  });

  it('refuse numbers that no request has', async () => {
    setKey();
    for (const wrong of [
      { promptTokensBound: -1 },
      { promptTokensBound: 1.5 },
      { choices: 0 },
      { choices: NaN },
      { outputTokensBound: 2 ** 40 },
    ])
      expect(await codeOfFailure(() => test.meter.admit(newRequest(wrong)))).toBe('invalid_value');
  });
});

describe('1,000 requests at once on a small budget', () => {
  it('spend never a token above it, and none is refused while more than a slice for each running one is left', async () => {
    const limit = 20_000;
    setKey({ budgets: [{ tokens: limit, window: 'total' }] });
    let seed = 1;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 0x7fff_ffff;
      return seed % below;
    };
    let [spent, handedOn, refused, cut] = [0, 0, 0, 0];
    const unfair: string[] = [];
    // What is left is checked when it is refused: what was handed on, and the prompts, are spent.
    const noteRefusal = (need: number): void => {
      const running = test.meter.usageOf('vk_1').runningRequests;
      if (limit - spent > (running + 1) * 256 + need) unfair.push(`${limit - spent} left, ${running} running`);
    };
    const run = async (): Promise<void> => {
      for (let turns = random(200); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
      const prompt = 1 + random(30);
      const wanted = random(600);
      const hold = await test.meter.admit(newRequest({ promptTokensBound: prompt })).catch(() => undefined);
      if (hold === undefined) {
        refused++;
        noteRefusal(prompt);
        return;
      }
      spent += prompt;
      let tokens = 0;
      while (tokens < wanted) {
        const step = 1 + random(40);
        if (!(await hold.allow(tokens + step))) {
          cut++;
          noteRefusal(step);
          break;
        }
        tokens += step;
        spent += step;
        if (random(4) === 0) await new Promise((resolve) => setImmediate(resolve));
        // Some clients leave.
        if (random(50) === 0) break;
      }
      handedOn += prompt + tokens;
      await hold.settle(used(prompt, tokens));
    };
    await Promise.all(Array.from({ length: 1000 }, run));
    expect(unfair).toEqual([]);
    expect(refused + cut).toBeGreaterThan(100);
    const [budget] = test.meter.usageOf('vk_1').budgets;
    expect(budget).toMatchObject({ used: BigInt(handedOn), held: 0n });
    expect(handedOn).toBeLessThanOrEqual(limit);
    // All but what a prompt and a token do not fit into.
    expect(handedOn).toBeGreaterThan(limit - 80);
  });
});
