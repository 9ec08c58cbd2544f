import { expect, it } from 'vitest';
import { codeOf, systemClock } from '../../src/base/index.js';
import { Compile } from '../../src/schema/index.js';
import { alertKinds } from '../../src/alerts/index.js';
import { SECRET, startReceiver, type Got } from '../alerts/start-receiver.js';
import { overTransports } from '../http/over-transports.js';
import { ask } from '../relay/raw-upstream.js';
import { rmSync } from 'node:fs';
import { chat, makeKey, runtimeAt, startGateway } from './serving/start-gateway.js';
import { completion, startRuntime, whole } from './serving/runtime.js';
import { startAdmin } from './admin/start-admin.js';
import { type FileParts, makeHome, SOON } from '../support/start-product.js';

const readSecret = async (): Promise<string> => SECRET;

function webhookAt(url: string, parts: FileParts = {}): FileParts {
  return { id: 'ops', url, secret: { env: 'HOOK' }, ...parts };
}

/** Every event is signed, of its schema, and of this gateway. */
function checkAll(got: readonly Got[]): void {
  for (const { isSigned, body } of got) {
    expect(isSigned).toBe(true);
    expect(body.source).toEqual({ product: 'private-gateway', id: 'gw_test' });
    const kind = alertKinds[body.type as keyof typeof alertKinds];
    expect(Compile(kind.data).Check(body.data), body.type).toBe(true);
    expect(Object.keys(body)).toEqual(['type', 'timestamp', 'source', 'data']);
  }
}

/** Longer than what signatures and ids have by chance. */
const PROMPT = 'the secret prompt';
const ASKED = { max_tokens: 10, messages: [{ role: 'user', content: PROMPT }] };

overTransports('alerts of a gateway', (transport) => {
  it('a budget has an alert at 80 % and when it is used up, once, also across a restart', async () => {
    await using receiver = await startReceiver();
    await using runtime = await startRuntime((_, socket) => void socket.write(whole(completion(10, 10))));
    const key = makeKey('vk_a', { name: 'search', limits: { budget: { tokens: 100, window: 'month' } } });
    const home = makeHome();
    const parts = {
      runtimes: [runtimeAt(runtime.url)],
      virtual_keys: [key.entry],
      alerts: { webhooks: [webhookAt(receiver.url)] },
    };
    {
      await using gateway = await startGateway(parts, { transport, readSecret }, home);
      for (let i = 0; i < 4; i++) expect((await chat(gateway, key, ASKED)).status).toBe(200);
      await expect.poll(() => receiver.types(), SOON).toEqual(['budget.warning']);
      expect(receiver.got[0]?.body.data).toMatchObject({
        key_id: 'vk_a',
        key_name: 'search',
        used: '80',
        limit: '100',
      });
    }
    {
      await using gateway = await startGateway(parts, { transport, readSecret }, home);
      // Its prompt may take more than is left.
      for (let i = 0; i < 3; i++) expect((await chat(gateway, key, ASKED)).status).toBe(429);
      await expect.poll(() => receiver.types(), SOON).toEqual(['budget.warning', 'budget.exhausted']);
      const metrics = await ask(gateway.port, 'GET', '/metrics', '');
      expect(metrics.body.toString()).toContain('troupe_gateway_alerts_delivered_total{webhook="ops"} 1\n');
    }
    expect(receiver.got).toHaveLength(2);
    checkAll(receiver.got);
    const said = JSON.stringify(receiver.got);
    for (const secret of [key.secret, PROMPT, SECRET]) expect(said).not.toContain(secret);
    rmSync(home, { recursive: true });
  });

  it('a runtime has an alert when it goes away and when it is back; a webhook gets the events that it chose', async () => {
    await using all = await startReceiver();
    await using some = await startReceiver();
    let isThere = true;
    await using runtime = await startRuntime(
      (_, socket) => void socket.write(whole(completion(1, 1))),
      () => isThere,
    );
    const webhooks = [webhookAt(all.url), webhookAt(some.url, { id: 'up', events: ['runtime.up'] })];
    const parts = { runtimes: [runtimeAt(runtime.url)], alerts: { webhooks: [] } };
    let skippedMs = 0;
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + skippedMs };
    await using gateway = await startGateway(parts, { transport, readSecret, probeMs: 100, clock });
    await gateway.rewrite({ alerts: { webhooks } });
    isThere = false;
    await expect.poll(() => all.types(), SOON).toEqual(['runtime.down']);
    expect(all.got[0]?.body.data).toEqual({ runtime: 'r', kind: 'openai-compatible', trouble: 'unreachable' });
    isThere = true;
    // A change within a minute waits.
    skippedMs = 61_000;
    await expect.poll(() => all.types(), SOON).toEqual(['runtime.down', 'runtime.up']);
    await expect.poll(() => some.types(), SOON).toEqual(['runtime.up']);
    expect(some.got[0]?.headers['webhook-id']).toBe(all.got[1]?.headers['webhook-id']);
    checkAll([...all.got, ...some.got]);
  });
});

it('a burst of wrong admin tokens has one alert', async () => {
  await using receiver = await startReceiver();
  const parts = { alerts: { webhooks: [webhookAt(receiver.url)] } };
  await using admin = await startAdmin(parts, { readSecret });
  const sign = { headers: { authorization: `Bearer gwa_wrong` } };
  for (let i = 0; i < 12; i++) await admin.raw('GET', '/admin/api/overview', sign);
  await expect.poll(() => receiver.types(), SOON).toEqual(['sign_in.burst']);
  expect(receiver.got[0]?.body.data).toEqual({ where: 'admin', failures: 5, within_s: 60 });
});

it('a webhook whose secret is missing, or wrong, refuses the file and leaves what was before', async () => {
  let secret = SECRET;
  await using receiver = await startReceiver();
  const parts = { runtimes: [], models: [], alerts: { webhooks: [] } };
  await using gateway = await startGateway(parts, { readSecret: async () => secret });
  secret = 'hunter2hunter2hunter2hunter2hunter2';
  await gateway.rewrite({ alerts: { webhooks: [webhookAt(receiver.url)] } });
  const refused = gateway.events.find(({ event }) => event === 'config refused');
  expect(refused).toMatchObject({ code: 'webhook_secret_missing' });
  expect(JSON.stringify(gateway.events)).not.toContain('hunter2');
  await expect(
    startGateway({ ...parts, alerts: { webhooks: [webhookAt(receiver.url)] } }, { readSecret: async () => secret }),
  ).rejects.toSatisfy((error) => codeOf(error) === 'webhook_secret_missing');
});
