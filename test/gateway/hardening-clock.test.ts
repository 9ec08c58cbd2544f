// Clocks that jump (F6): minutes and leases go by the monotonic clock, expiries and budgets by the wall clock.
import { describe, expect, it } from 'vitest';
import { HandClock } from '../http/hand-clock.js';
import { openRaw, until } from '../http/over-transports.js';
import { chat, chatBody, codeOfAnswer, keyHeaders, startGateway, type HardGateway } from './hardening-gateway.js';
import { goodAnswer, startFaulty, streamHead, tokenEvent, type FaultyUpstream } from './hardening-upstreams.js';

const HOUR_MS = 3_600_000;
/** Noon of a day in UTC. */
const NOON_MS = Date.UTC(2026, 10, 26, 12);

/** A gateway whose two clocks a test moves. */
async function startAt(
  startMs: number,
  keyLimits: string,
): Promise<
  AsyncDisposable & {
    readonly gateway: HardGateway;
    readonly runtime: FaultyUpstream;
    readonly clock: HandClock;
    /** Moves the wall clock alone. */
    readonly jump: (ms: number) => void;
  }
> {
  const clock = new HandClock();
  let nowMs = startMs;
  const runtime = await startFaulty({
    good: (socket) => void socket.write(goodAnswer),
    stays: (socket) => void socket.write(streamHead + tokenEvent),
  });
  const upstreams = { good: runtime.url, stays: runtime.url };
  const gateway = await startGateway({ upstreams, keyLimits }, { clock, now: () => nowMs });
  return {
    gateway,
    runtime,
    clock,
    jump: (ms) => {
      nowMs += ms;
      // Whatever looks at the time now and then looks.
      clock.advance(1_000);
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await runtime[Symbol.asyncDispose]();
    },
  };
}

/** The status of a chat. */
async function statusOf(gateway: HardGateway, key = gateway.key): Promise<number> {
  const answer = await chat({ port: gateway.port, key }, 'good');
  await answer.text();
  return answer.status;
}

describe('a clock that jumps', () => {
  it.each([HOUR_MS, -HOUR_MS])('by %d ms leaves limits a minute as they are', async (jumpMs) => {
    await using started = await startAt(NOON_MS, '{ requests_per_minute: 2, tokens_per_minute: 100000 }');
    const { gateway, clock, jump } = started;
    expect([await statusOf(gateway), await statusOf(gateway)]).toEqual([200, 200]);
    jump(jumpMs);
    const answer = await chat(gateway, 'good');
    expect([answer.status, await codeOfAnswer(answer)]).toEqual([429, 'rate_limit_exceeded']);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    clock.advance(61_000);
    expect(await statusOf(gateway)).toBe(200);
  });

  it.each([HOUR_MS, -HOUR_MS])('by %d ms ends no key that has no expiry, and no stream of it', async (jumpMs) => {
    await using started = await startAt(NOON_MS, '{}');
    const { gateway, jump, clock } = started;
    using client = openRaw(gateway.port);
    const body = chatBody('stays', { stream: true });
    const fields = Object.entries(keyHeaders(gateway.key)).map(([name, value]) => `${name}: ${value}`);
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    client.send(
      [`POST /v1/chat/completions HTTP/1.1`, `Host: 127.0.0.1:${gateway.port}`, ...fields, length, '', body].join(
        '\r\n',
      ),
    );
    await client.until((text) => text.includes('tok'));
    jump(jumpMs);
    for (let i = 0; i < 10; i++) clock.advance(1_000);
    expect(await statusOf(gateway)).toBe(200);
    expect(gateway.gateway.meter?.usageOf('vk_hard').runningRequests).toBe(1);
    expect(client.socket.destroyed).toBe(false);
  });

  it('ends keys by the wall clock alone, and takes them again when that was wrong', async () => {
    await using started = await startAt(NOON_MS, '{}');
    const { gateway, jump, clock } = started;
    const { meter } = gateway.gateway;
    const rules = { name: 'half an hour', models: null, expiresAtMs: NOON_MS + HOUR_MS / 2, limits: { budgets: [] } };
    const { secret } = (await meter?.createKey(rules, { kind: 'cli' })) ?? expect.fail('the meter is there');
    // The monotonic clock says hours, as after a suspension; the wall clock does not.
    clock.sleep(10 * HOUR_MS);
    clock.advance(1_000);
    expect([await statusOf(gateway, secret), await statusOf(gateway)]).toEqual([200, 200]);
    jump(HOUR_MS);
    expect([await statusOf(gateway, secret), await statusOf(gateway)]).toEqual([401, 200]);
    jump(-HOUR_MS);
    expect([await statusOf(gateway, secret), await statusOf(gateway)]).toEqual([200, 200]);
  });

  it('opens the budget of a day at midnight, and not once more when it is set back', async () => {
    const midnightMs = Date.UTC(2026, 10, 27);
    await using started = await startAt(midnightMs - HOUR_MS / 2, '{ budget: { tokens: 300, window: day } }');
    const { gateway, jump } = started;
    const spend = async (): Promise<number> => {
      let served = 0;
      while ((await statusOf(gateway)) === 200) served++;
      return served;
    };
    const first = await spend();
    expect(first).toBeGreaterThan(0);
    jump(HOUR_MS);
    expect(await spend()).toBe(first);
    // Back before midnight: neither day's budget is free again.
    jump(-HOUR_MS);
    expect(await spend()).toBe(0);
    jump(HOUR_MS);
    expect(await spend()).toBe(0);
    jump(24 * HOUR_MS);
    expect(await spend()).toBe(first);
  });

  it('ends no lease: a request under way is the same request on either side of a jump', async () => {
    await using started = await startAt(NOON_MS, '{ parallel_requests: 1 }');
    const { gateway, jump, runtime } = started;
    const leaving = new AbortController();
    const stream = await fetch(`http://127.0.0.1:${gateway.port}/v1/chat/completions`, {
      method: 'POST',
      headers: keyHeaders(gateway.key),
      body: chatBody('stays', { stream: true }),
      signal: leaving.signal,
    });
    expect(stream.status).toBe(200);
    for (const ms of [HOUR_MS, -2 * HOUR_MS, 48 * HOUR_MS]) {
      jump(ms);
      expect(await statusOf(gateway)).toBe(429);
    }
    leaving.abort();
    await until(() => gateway.gateway.meter?.usageOf('vk_hard').runningRequests === 0);
    expect(await statusOf(gateway)).toBe(200);
    expect(runtime.asked.get('good')).toBe(1);
  });
});
