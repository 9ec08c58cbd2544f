import { expect, it } from 'vitest';
import { parseGatewayConfig } from '../../../src/gateway/index.js';
import { createUpstreamPool } from '../../../src/gateway/routing/upstream-pool.js';
import { HandClock } from '../../http/hand-clock.js';
import { runtimeAt } from './start-gateway.js';
import { always, startRuntime } from './runtime.js';

it('an upstream that is gone from the file takes the requests that began before, and is closed a while later', async () => {
  await using runtime = await startRuntime(always('{}'));
  const clock = new HandClock();
  await using pool = createUpstreamPool(async () => 'unknown', clock);
  const file = { gateway_id: 'gw_a', runtimes: [runtimeAt(runtime.url)] };
  const { runtimes } = parseGatewayConfig(JSON.stringify(file), 'gateway.yaml').config;
  const [first] = await pool.open(runtimes, new Map(), {});
  const [same] = await pool.open(runtimes, new Map(), {});
  expect(same).toBe(first);
  const [other] = await pool.open(runtimes, new Map([['r', 'a credential']]), {});
  expect(other).not.toBe(first);
  const ask = async (): Promise<number | undefined> => {
    const request = { method: 'POST', target: '/', fields: [], body: [Buffer.from('{}')], contentLength: 2 };
    const answer = await first?.upstream.request(request);
    for await (const _ of answer?.body ?? []);
    return answer?.status;
  };
  clock.advance(2_000);
  expect(await ask()).toBe(200);
  clock.advance(60_000);
  await expect(ask()).rejects.toMatchObject({ code: 'upstream_error' });
});
