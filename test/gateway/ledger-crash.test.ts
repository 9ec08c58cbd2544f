import { expect, it } from 'vitest';
import { always, completion, startRuntime } from './serving/runtime.js';
import { chat, makeKey, runtimeAt, startGateway } from './serving/start-gateway.js';

it('an actor of the ledger that dies is started again, with keys and usage as they were', async () => {
  await using runtime = await startRuntime(always(completion(5, 5)));
  const key = makeKey('vk_a', { limits: { budget: { tokens: 1_000_000, window: 'day' } } });
  await using started = await startGateway({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
  expect((await chat(started, key)).status).toBe(200);
  const { meter } = started;
  const setFileKeys = meter.setFileKeys.bind(meter);
  meter.setFileKeys = () => {
    meter.setFileKeys = setFileKeys;
    throw new TypeError('a bug of ours');
  };
  await started.rewrite({ limits: { body_mib: 1 } });
  const ledger = () => started.gateway.tree().children.find(({ id }) => id === 'ledger');
  await expect.poll(() => [ledger()?.state, ledger()?.restarts]).toEqual(['running', 1]);
  await expect
    .poll(async () => (await chat(started, key).catch(() => undefined))?.status, { timeout: 120_000 })
    .toBe(200);
  await expect.poll(() => meter.usageOf('vk_a').budgets[0]?.held).toBe(0n);
  expect(meter.usageOf('vk_a').budgets[0]?.used).toBe(20n);
});
