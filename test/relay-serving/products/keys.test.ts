// Keys of callers: refused, rotated, and ended while their requests run.
import { expect, it } from 'vitest';
import { openEvents, completion, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { signalOf } from '../../http/over-transports.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import { chatBody, errorOf, headerOf } from '../../support/start-product.js';
import { describeTransports } from './relay-products.js';
import { expectWithin } from '../../support/elapsed.js';

describeTransports('keys', ({ chatPath, start }, transport) => {
  it('that are missing, mistyped, unknown, disabled or expired have 401 before anything is asked', async () => {
    await using upstream = await startRuntime((_, socket) => void socket.write(whole(completion(3, 2))));
    let offsetMs = 0;
    await using product = await start(upstream.url, { transport, now: () => Date.now() + offsetMs });
    const [good, off] = [await product.caller(), await product.caller()];
    const old = await product.caller({ expiresAtMs: Date.now() + 60_000 });
    await product.disable(off);
    offsetMs = 61_000;
    const send = (headers = {}, path = chatPath): Promise<Received> =>
      ask(product.port, 'POST', path, chatBody(), undefined, headers);
    const bearer = (secret: string): object => ({ authorization: `Bearer ${secret}` });
    const wrong: readonly (readonly [string, Received, readonly string[]])[] = [
      ['missing', await send(), ['missing_api_key']],
      ['in the query', await send({}, `${chatPath}?api_key=${good.secret}&key=${good.secret}`), ['missing_api_key']],
      ['no Bearer', await send({ authorization: `Basic ${good.secret}` }), ['invalid_api_key']],
      ['mistyped', await send(bearer(good.secret.slice(0, -1))), ['invalid_api_key']],
      ['unknown', await send(bearer(`${good.secret.slice(0, -4)}0000`)), ['invalid_api_key']],
      ['disabled', await send(off.headers), ['invalid_api_key']],
      ['expired', await send(old.headers), ['expired_key', 'invalid_api_key']],
      ['another in x-api-key', await send({ ...good.headers, 'x-api-key': off.secret }), ['invalid_api_key']],
    ];
    for (const [what, got, codes] of wrong) {
      expect([what, got.status, errorOf(got)]).toEqual([
        what,
        401,
        {
          message: expect.any(String) as string,
          type: 'authentication_error',
          param: null,
          code: expect.toSatisfy((code: string) => codes.includes(code)) as string,
        },
      ]);
      expect(headerOf(got, 'www-authenticate')).toBe('Bearer');
      expect(got.body.toString()).not.toContain(good.secret.slice(0, 10));
    }
    expect(upstream.asked).toEqual([]);
    expect((await send(good.headers)).status).toBe(200);
    expect((await send({ 'x-api-key': good.secret })).status).toBe(200);
  });

  it('rotate, and the secret before is taken until its grace is over', async () => {
    let offsetMs = 0;
    await using upstream = await startRuntime((_, socket) => void socket.write(whole(completion(3, 2))));
    await using product = await start(upstream.url, { transport, now: () => Date.now() + offsetMs });
    const old = await product.caller();
    const fresh = await product.rotate(old, 60_000);
    for (const caller of [old, fresh]) expect((await product.chat(caller)).status).toBe(200);
    offsetMs = 61_000;
    const late = await product.chat(old);
    expect(late.status).toBe(401);
    expect(['expired_key', 'invalid_api_key']).toContain(errorOf(late)['code']);
    expect((await product.chat(fresh)).status).toBe(200);
  });

  it.each(['disabled', 'expired', 'past its grace'])(
    'that are %s end their streams within a second, with an event that says so, and their waiting requests with 401',
    async (how) => {
      let offsetMs = 0;
      const waiting = signalOf();
      const left = [signalOf(), signalOf()];
      await using upstream = await startRuntime(({ body }, socket) => {
        const isStream = body.includes('"stream":true');
        if (isStream) openEvents(socket).token();
        socket.once('close', () => left[isStream ? 0 : 1]?.resolve());
        if (!isStream) waiting.resolve();
      });
      await using product = await start(upstream.url, { transport, now: () => Date.now() + offsetMs });
      const caller = await product.caller(how === 'expired' ? { expiresAtMs: Date.now() + 60_000 } : {});
      const response = await fetch(product.url + chatPath, {
        method: 'POST',
        headers: caller.headers,
        body: chatBody({ stream: true }),
      });
      const reader = response.body?.getReader();
      const first = Buffer.from((await reader?.read())?.value ?? []).toString();
      expect([response.status, first]).toEqual([200, expect.stringMatching(/" a".*\n\n$/s)]);
      const waited = product.chat(caller);
      await waiting.promise;
      if (how === 'past its grace') await product.rotate(caller, 60_000);
      const startMs = performance.now();
      if (how === 'disabled') await product.disable(caller);
      else offsetMs = 61_000;
      const last = Buffer.from((await reader?.read())?.value ?? []).toString();
      expect((await reader?.read())?.done).toBe(true);
      const refused = await waited;
      expectWithin(1_500, startMs);
      expect(JSON.parse(last.slice('data: '.length))).toMatchObject({
        error: { type: 'authentication_error', code: 'invalid_api_key' },
      });
      expect([refused.status, errorOf(refused)['code']]).toEqual([401, 'invalid_api_key']);
      // The upstream sees the end of its connections, too.
      await Promise.all(left.map(({ promise }) => promise));
      await product.ended(caller, 2);
    },
  );
});
