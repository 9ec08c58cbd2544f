import { expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../src/base/index.js';
import { identifyUrl } from '../../../src/gateway/index.js';
import { overTransports } from '../../http/over-transports.js';
import { chat, makeKey, modelOf, runtimeAt, startGateway, type StartedGateway } from './start-gateway.js';
import { always, completion, openEvents, startRuntime, whole, type Asked, type Play } from './runtime.js';
import { errorOf, headerOf, SOON } from '../../support/start-product.js';

const answer = completion(3, 2);
const key = makeKey();

/** A clock that a test puts forward. */
function movableClock(): { readonly clock: Clock; move(ms: number): void } {
  let offsetMs = 0;
  return {
    clock: { ...systemClock, nowMs: () => systemClock.nowMs() + offsetMs },
    move: (ms) => void (offsetMs += ms),
  };
}

interface Health {
  readonly runtimes: readonly { readonly id: string; readonly healthy: boolean; readonly trouble: string | null }[];
  readonly models: readonly { readonly targets: readonly { readonly breaker: string }[] }[];
}

async function healthOf({ url }: StartedGateway): Promise<Health> {
  return (await (await fetch(`${url}/health`)).json()) as Health;
}

/** What answers like any server of OpenAI's API, or like KoboldCpp. */
function become(isOther: () => boolean): Play {
  return ({ method, target }, socket) => {
    const isVersion = isOther() && target === '/api/extra/version';
    if (method === 'POST') socket.write(whole(answer));
    else
      socket.write(isVersion ? whole('{"result":"KoboldCpp","version":"1.90"}') : whole('{"detail":"Not Found"}', 404));
  };
}

const drop: Play = (_, socket) => void socket.destroy();

overTransports('a gateway', (transport) => {
  it.each<[string, Play]>([
    ['drops the connection', drop],
    ['is overloaded', always('{"error":{"message":"busy"}}', 503, ['Retry-After: 9'])],
  ])('asks the next target in order when one %s, before the first byte', async (_, play) => {
    await using first = await startRuntime(play);
    await using second = await startRuntime(always(answer));
    const targets = [
      { runtime: 'b', model: 'other', order: 1 },
      { runtime: 'a', model: 'up', order: 0 },
    ];
    const runtimes = [runtimeAt(first.url, { id: 'a' }), runtimeAt(second.url, { id: 'b' })];
    const parts = { runtimes, models: [modelOf({ targets })], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const got = await chat(gateway, key);
    expect([got.status, got.body.toString()]).toEqual([200, answer]);
    expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
    expect(JSON.parse(second.asked[0]?.body ?? '')).toMatchObject({ model: 'other' });
    await expect.poll(() => gateway.lines.at(-1), SOON).toMatchObject({ runtime: 'b', attempts: 2 });
    // No other runtime can be asked: the last failure is the answer.
    await gateway.rewrite({ models: [modelOf({ targets: [{ runtime: 'a', model: 'up' }] })] });
    const last = await chat(gateway, key);
    expect([502, 503]).toContain(last.status);
    if (last.status === 503) expect(headerOf(last, 'retry-after')).toBe('9');
    else expect(errorOf(last)).toMatchObject({ type: 'server_error', code: 'upstream_error' });
  });

  it('asks no other runtime once an answer has begun', async () => {
    await using first = await startRuntime((_, socket) => {
      openEvents(socket).token();
      setImmediate(() => socket.destroy());
    });
    await using second = await startRuntime(always(answer));
    const targets = [
      { runtime: 'a', model: 'up' },
      { runtime: 'b', model: 'up', order: 1 },
    ];
    const runtimes = [runtimeAt(first.url, { id: 'a' }), runtimeAt(second.url, { id: 'b' })];
    const parts = { runtimes, models: [modelOf({ targets })], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const got = await chat(gateway, key, { stream: true });
    expect([got.status, got.isBroken, second.asked.length]).toEqual([200, true, 0]);
    await expect
      .poll(() => gateway.lines.at(-1), SOON)
      .toMatchObject({ status: 200, code: 'upstream_error', runtime: 'a' });
  });

  it('leaves a target that fails five times in a row alone, and tries it again after a while', async () => {
    let play = drop;
    await using runtime = await startRuntime((asked, socket) => play(asked, socket));
    const { clock, move } = movableClock();
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport, clock, probeMs: 3_600_000 });
    const breaker = async (): Promise<unknown> => (await healthOf(gateway)).models[0]?.targets[0]?.breaker;
    while ((await breaker()) === 'closed') expect((await chat(gateway, key)).status).toBe(502);
    const { length } = runtime.asked;
    expect(length).toBeGreaterThanOrEqual(5);
    const refused = await chat(gateway, key);
    expect([refused.status, errorOf(refused)['code'], headerOf(refused, 'retry-after')]).toEqual([
      503,
      'upstream_busy',
      '1',
    ]);
    expect(runtime.asked).toHaveLength(length);
    play = always(answer);
    move(31_000);
    expect(await breaker()).toBe('half-open');
    expect((await chat(gateway, key)).status).toBe(200);
    expect(await breaker()).toBe('closed');
  });

  it('passes 429 on with its Retry-After, and it is no failure of its target', async () => {
    await using runtime = await startRuntime(always('{"error":{"message":"slow down"}}', 429, ['Retry-After: 7']));
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    for (let i = 0; i < 12; i++) {
      const got = await chat(gateway, key);
      expect([got.status, headerOf(got, 'retry-after'), errorOf(got)]).toEqual([429, '7', { message: 'slow down' }]);
    }
    expect(runtime.asked).toHaveLength(12);
    expect((await healthOf(gateway)).models[0]?.targets[0]).toMatchObject({ breaker: 'closed', ejected: false });
  });

  it('sends nothing to a runtime that is away, and finds it when it is back', async () => {
    let isAway = false;
    await using runtime = await startRuntime(always(answer), () => !isAway);
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport, probeMs: 20 });
    expect((await chat(gateway, key)).status).toBe(200);
    isAway = true;
    await expect
      .poll(async () => (await healthOf(gateway)).runtimes[0], SOON)
      .toMatchObject({ trouble: 'unreachable' });
    const refused = await chat(gateway, key);
    expect([refused.status, errorOf(refused)['code'], headerOf(refused, 'retry-after')]).toEqual([
      503,
      'upstream_busy',
      '1',
    ]);
    expect(runtime.asked).toHaveLength(1);
    expect((await fetch(`${gateway.url}/ready`)).status).toBe(503);
    isAway = false;
    await expect.poll(async () => (await fetch(`${gateway.url}/ready`)).status, SOON).toBe(200);
    expect((await chat(gateway, key)).status).toBe(200);
  });

  it('refuses a runtime that became another until its operator approves that', async () => {
    let isOther = false;
    await using runtime = await startRuntime(become(() => isOther));
    const fingerprint = async (): Promise<string> => {
      const found = await identifyUrl(runtime.url, { allowPublic: true });
      return 'fingerprint' in found ? found.fingerprint : JSON.stringify(found);
    };
    const before = await fingerprint();
    expect(before).toBe('1:openai-compatible:-');
    const parts = { runtimes: [runtimeAt(runtime.url, { fingerprint: before })], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport, probeMs: 20 });
    expect((await chat(gateway, key)).status).toBe(200);
    isOther = true;
    await expect
      .poll(async () => (await healthOf(gateway)).runtimes[0], { timeout: 120_000 })
      .toMatchObject({
        healthy: false,
        trouble: 'fingerprint_changed',
      });
    expect((await chat(gateway, key)).status).toBe(503);
    const audited = gateway.meter.audit.read({ limit: 100 }).filter(({ action }) => action === 'runtime.refuse');
    expect(audited).toMatchObject([
      { target: 'runtime:r', outcome: 'refused', reason: 'its kind was openai-compatible and is now koboldcpp' },
    ]);
    const after = await fingerprint();
    expect(after).not.toBe(before);
    await gateway.rewrite({ runtimes: [runtimeAt(runtime.url, { kind: 'koboldcpp', fingerprint: after })] });
    await expect.poll(async () => (await chat(gateway, key)).status, SOON).toBe(200);
  });

  it('sends no request to a runtime of a changed file before that has proved what it is', async () => {
    await using runtime = await startRuntime(become(() => false));
    await using other = await startRuntime(become(() => true));
    const fingerprint = '1:openai-compatible:-';
    const parts = { runtimes: [runtimeAt(runtime.url, { fingerprint })], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const posts = (asked: readonly Asked[]): number => asked.filter(({ method }) => method === 'POST').length;
    expect((await chat(gateway, key)).status).toBe(200);
    await gateway.rewrite({ runtimes: [runtimeAt(other.url, { fingerprint })] });
    expect((await chat(gateway, key)).status).toBe(503);
    await gateway.rewrite({ runtimes: [runtimeAt(runtime.url, { fingerprint })] });
    expect((await chat(gateway, key)).status).toBe(200);
    expect([posts(runtime.asked), posts(other.asked)]).toEqual([2, 0]);
  });
});
