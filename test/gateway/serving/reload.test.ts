import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AppError } from '../../../src/base/index.js';
import { overTransports } from '../../http/over-transports.js';
import { ask } from '../../relay/raw-upstream.js';
import { chat, makeKey, modelOf, runtimeAt, startGateway, type StartedGateway } from './start-gateway.js';
import { always, completion, startRuntime } from './runtime.js';
import { chatBody } from '../../support/start-product.js';

const play = always(completion(3, 2));

/** What its operator sees of the file. */
async function configOf({ url }: StartedGateway): Promise<unknown> {
  return ((await (await fetch(`${url}/health`)).json()) as { config: unknown }).config;
}

overTransports('a changed file', (transport) => {
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
