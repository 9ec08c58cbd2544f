// Limits of a key: held, and in the headers of answers and refusals.
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { completion, openEvents, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { signalOf } from '../../http/over-transports.js';
import type { Received } from '../../relay/raw-upstream.js';
import { errorOf, headerOf, ratesOf } from '../../support/start-product.js';
import { describeTransports } from './relay-products.js';

const retryOf = (got: Received): number => Number(headerOf(got, 'retry-after'));

describeTransports('limits of a key', ({ start }, transport) => {
  it('of requests and tokens a minute hold, and every answer says what is left', async () => {
    const body = completion(10, 5);
    await using upstream = await startRuntime((asked, socket) => {
      if (!asked.body.includes('"stream":true'))
        return void socket.write(whole(body, 200, ['X-RateLimit-Limit-Requests: 9', 'Retry-After: 5']));
      const events = openEvents(socket);
      events.token();
      events.usage(10, 5);
      events.end();
    });
    await using product = await start(upstream.url, { transport });
    const caller = await product.caller({ requestsPerMinute: 3, tokensPerMinute: 10_000 });
    const left: number[] = [];
    for (const [i, stream] of [false, false, true].entries()) {
      const got = await product.chat(caller, { max_tokens: 100, ...(stream && { stream }) });
      const rates = ratesOf(got);
      expect(got.status).toBe(200);
      // Its own take the place of those of the upstream, and the bytes stay as they are.
      expect(rates).toMatchObject({ 'limit-requests': '3', 'remaining-requests': `${2 - i}`, 'limit-tokens': '10000' });
      expect(got.fields.filter(([name]) => /^x-ratelimit-limit-requests$/i.test(name))).toHaveLength(1);
      for (const side of ['requests', 'tokens']) expect(rates[`reset-${side}`]).toMatch(/^(?:\d+m)?\d+s$|^\d+ms$/);
      if (stream) expect(got.body.toString()).toMatch(/^data: .*\[DONE\]\n\n$/s);
      else expect([got.body.toString(), headerOf(got, 'retry-after')]).toEqual([body, '5']);
      left.push(Number(rates['remaining-tokens']));
      await product.ended(caller, i + 1);
    }
    // What is reserved counts while the request runs: its prompt, which is bounded by its bytes, and 100 tokens of output.
    for (const tokens of left) expect(10_000 - tokens).toBeGreaterThan(100);
    for (const tokens of left) expect(10_000 - tokens).toBeLessThan(430);
    // One that is over counts what it used: 15 tokens.
    expect((left[0] ?? 0) - (left[1] ?? 0)).toBe(15);

    const over = await product.chat(caller, { max_tokens: 100 });
    expect([over.status, errorOf(over)]).toEqual([
      429,
      {
        message: expect.stringContaining('3 requests a minute') as string,
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
      },
    ]);
    expect(ratesOf(over)).toMatchObject({ 'limit-requests': '3', 'remaining-requests': '0', 'limit-tokens': '10000' });
    expect(retryOf(over)).toBeGreaterThan(10);
    expect(retryOf(over)).toBeLessThanOrEqual(61);
    const retryMs = Number(headerOf(over, 'retry-after-ms'));
    expect(retryMs > 0 && retryMs <= retryOf(over) * 1_000).toBe(true);
    expect(upstream.asked).toHaveLength(3);
  });

  it('of tokens a minute refuse what a minute can never have', async () => {
    await using upstream = await startRuntime((_, socket) => void socket.write(whole(completion(10, 5))));
    await using product = await start(upstream.url, { transport });
    const caller = await product.caller({ tokensPerMinute: 1_000 });
    expect((await product.chat(caller, { max_tokens: 600 })).status).toBe(200);
    // It used 15 of 1,000: there is room again.
    await product.ended(caller, 1);
    expect((await product.chat(caller, { max_tokens: 600 })).status).toBe(200);
    await product.ended(caller, 2);
    const never = await product.chat(caller, { max_tokens: 2_000 });
    // Every 429 says when limits are whole again, also where waiting alone does not help.
    expect([never.status, errorOf(never)['code'], headerOf(never, 'retry-after')]).toEqual([
      429,
      'rate_limit_exceeded',
      '60',
    ]);
    expect(never.body.toString()).toContain('a shorter prompt');
    expect(ratesOf(never)).toMatchObject({ 'limit-tokens': '1000', 'remaining-tokens': '970' });
  });

  it('of parallel requests hold while one runs', async () => {
    const begun = signalOf();
    let held: Socket | undefined;
    await using upstream = await startRuntime((_, socket) => {
      held = socket;
      begun.resolve();
    });
    await using product = await start(upstream.url, { transport });
    const caller = await product.caller({ parallelRequests: 1 });
    const first = product.chat(caller);
    await begun.promise;
    const second = await product.chat(caller);
    expect([second.status, errorOf(second)['code'], headerOf(second, 'retry-after')]).toEqual([
      429,
      'rate_limit_exceeded',
      '1',
    ]);
    held?.write(whole(completion(1, 1)));
    expect((await first).status).toBe(200);
    await product.ended(caller, 1);
    const third = product.chat(caller);
    await expect.poll(() => upstream.asked.length).toBe(2);
    held?.write(whole(completion(1, 1)));
    expect((await third).status).toBe(200);
  });
});
