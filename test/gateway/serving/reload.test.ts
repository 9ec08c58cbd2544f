import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { expect, it } from 'vitest';
import { AppError } from '../../../src/base/index.js';
import { overTransports, signalOf } from '../../http/over-transports.js';
import { ask } from '../../relay/raw-upstream.js';
import {
  chat,
  chatBody,
  makeKey,
  modelOf,
  runtimeAt,
  startGateway,
  type StartedGateway,
  SOON,
} from './start-gateway.js';
import { completion, openEvents, startRuntime, whole, type Play } from './runtime.js';

const play: Play = async ({ body }, socket) => {
  if (!body.includes('"stream":true')) return void socket.write(whole(completion(3, 2)));
  const events = openEvents(socket);
  for (let i = 0; i < 20; i++) {
    events.token();
    await new Promise((resolve) => setImmediate(resolve));
  }
  events.end();
};

/** What its operator sees of the file. */
async function configOf({ url }: StartedGateway): Promise<unknown> {
  return ((await (await fetch(`${url}/health`)).json()) as { config: unknown }).config;
}

overTransports('a changed file', (transport) => {
  it('is taken up under load, and no request is lost', async () => {
    await using a = await startRuntime(play);
    await using b = await startRuntime(play);
    const [key, other] = [makeKey(), makeKey('vk_b')];
    await using gateway = await startGateway(
      { runtimes: [runtimeAt(a.url)], virtual_keys: [key.entry] },
      { transport },
    );
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    let isOver = false;
    let count = 0;
    const drink = async (stream: boolean): Promise<void> => {
      while (!isOver) {
        const body = chatBody({ ...(stream && { stream }) });
        const got = await ask(gateway.port, 'POST', '/v1/chat/completions', body, agent, key.headers);
        expect([got.status, got.isBroken]).toEqual([200, false]);
        expect(got.body.toString().endsWith(stream ? 'data: [DONE]\n\n' : '}}')).toBe(true);
        count++;
      }
    };
    const clients = Array.from({ length: 16 }, (_, i) => drink(i % 2 === 0));
    try {
      for (let i = 0; i < 24; i++) {
        const [here, there] = i % 2 === 0 ? [b, a] : [a, b];
        await gateway.rewrite({
          runtimes: [runtimeAt(here.url), runtimeAt(there.url, { id: 'other' })],
          models: [modelOf({ max_output_tokens: 100 + i }), modelOf({ id: `new${i}` })],
          virtual_keys: i % 3 === 0 ? [key.entry] : [other.entry, { ...key.entry, name: `n${i}` }],
          limits: { body_mib: 1 + (i % 5) },
          cors_origins: i % 2 === 0 ? [] : [`https://a${i}.example`],
          passthrough: i % 2 === 0 ? ['/v1/score'] : [],
        });
        const before = count;
        await expect.poll(() => count > before + 16, SOON).toBe(true);
      }
    } finally {
      isOver = true;
    }
    await Promise.all(clients);
    agent.destroy();
    expect(a.asked.length).toBeGreaterThan(100);
    expect(b.asked.length).toBeGreaterThan(100);
    expect(gateway.events.filter(({ event }) => event === 'config reloaded')).toHaveLength(24);
    expect(await configOf(gateway)).toEqual({ in_use: true, refused: null });
  });

  it('holds for the next request: models, keys, limits and paths', async () => {
    await using runtime = await startRuntime(play);
    const [key, other] = [makeKey(), makeKey('vk_b')];
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const statusOf = async (path = '/v1/chat/completions', body = chatBody(), headers = key.headers): Promise<number> =>
      (await ask(gateway.port, 'POST', path, body, undefined, headers)).status;
    const large = chatBody({ padding: 'x'.repeat(1_200_000) });
    const all = async (): Promise<number[]> => [
      await statusOf(),
      await statusOf('/v1/chat/completions', chatBody({ model: 'new' })),
      await statusOf('/v1/chat/completions', chatBody(), other.headers),
      await statusOf('/v1/chat/completions', large),
      await statusOf('/v1/score'),
    ];
    expect(await all()).toEqual([200, 404, 401, 200, 404]);
    await gateway.rewrite({
      models: [modelOf(), modelOf({ id: 'new' })],
      virtual_keys: [key.entry, other.entry],
      limits: { body_mib: 1 },
      passthrough: ['/v1/score'],
    });
    expect(await all()).toEqual([200, 200, 200, 413, 200]);
    await gateway.rewrite({ virtual_keys: [{ ...key.entry, limits: { requests_per_minute: 1 } }] });
    // What was asked before counts.
    expect(await statusOf()).toBe(429);
  });

  it('leaves requests to a runtime that is gone from it to their end', async () => {
    const [begun, goOn] = [signalOf(), signalOf()];
    await using old = await startRuntime(async (_, socket) => {
      const events = openEvents(socket);
      events.token();
      begun.resolve();
      await goOn.promise;
      events.token();
      events.end();
    });
    await using fresh = await startRuntime(play);
    const key = makeKey();
    await using gateway = await startGateway(
      { runtimes: [runtimeAt(old.url)], virtual_keys: [key.entry] },
      { transport },
    );
    const running = chat(gateway, key, { stream: true });
    await begun.promise;
    await gateway.rewrite({ runtimes: [runtimeAt(fresh.url)] });
    expect((await chat(gateway, key)).status).toBe(200);
    expect(fresh.asked).toHaveLength(1);
    goOn.resolve();
    const got = await running;
    expect([got.status, got.isBroken, got.body.toString().split('" a"').length]).toEqual([200, false, 3]);
  });

  it('that cannot be used changes nothing and says so, until the file can be', async () => {
    await using runtime = await startRuntime(play);
    const key = makeKey();
    const runtimes = [runtimeAt(runtime.url)];
    let hasSecret = false;
    const readSecret = async (): Promise<string> => {
      if (hasSecret) return 'x';
      throw new AppError('runtime_secret_missing', 'the variable NAME is empty');
    };
    const parts = { runtimes, virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport, readSecret });
    const good = { in_use: true, refused: null };
    const wrong = (part: string): unknown => ({ in_use: false, refused: expect.stringContaining(part) as string });
    expect(await configOf(gateway)).toEqual(good);
    await gateway.rewrite({ modles: [] });
    expect(await configOf(gateway)).toEqual(wrong('modles'));
    expect((await chat(gateway, key)).status).toBe(200);
    // The very text that is in use.
    await gateway.rewrite({ modles: undefined });
    expect(await configOf(gateway)).toEqual(good);
    await gateway.rewrite({ runtimes: [runtimeAt(runtime.url, { api_key: { env: 'NAME' } })], virtual_keys: [] });
    expect(await configOf(gateway)).toEqual(wrong('NAME'));
    expect((await chat(gateway, key)).status).toBe(200);
    // Nothing of the file changes, and it can be used: SIGHUP looks again.
    hasSecret = true;
    await gateway.gateway.reload();
    expect(await configOf(gateway)).toEqual(good);
    expect((await chat(gateway, key)).status).toBe(401);
    await gateway.rewrite({ runtimes, virtual_keys: [key.entry] });
    writeFileSync(gateway.path, 'gateway_id: [');
    await gateway.gateway.reload();
    expect((await chat(gateway, key)).status).toBe(200);
    const actions = gateway.meter.audit.read({ limit: 100 }).map(({ action, outcome }) => [action, outcome]);
    expect(actions.filter(([action]) => action === 'config.reload').map(([, outcome]) => outcome)).toEqual([
      // The first start takes up a file that was written while no gateway ran.
      'ok',
      'refused',
      'ok',
      'refused',
      'ok',
      'ok',
      'refused',
    ]);
  });
});
