import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMeterClient, openMeterLink, serveMeter, type MeterClient } from '../../src/metering/index.js';
import { codeOfFailure, newKey, newRequest, newRow, openTestMeter, used, type TestMeter } from './open-test-meter.js';

let test: TestMeter;
beforeEach(async () => void (test = await openTestMeter()));
afterEach(async () => test[Symbol.asyncDispose]());

/** A client over a channel within this thread, and the end of its service. */
async function connect(): Promise<{ readonly client: MeterClient; readonly stop: () => void }> {
  const { port1, port2 } = new MessageChannel();
  const stop = serveMeter(test.meter, port1);
  const now = (): number => test.wall.ms + test.clock.nowMs();
  const client = createMeterClient(openMeterLink(port2), { now, log: () => {} });
  await client.ready;
  return { client, stop };
}

/** Runs a thread that meters; what it tells at its end, and the thread. */
async function runThread(secret: string, requests: number, isLeftOpen: boolean) {
  const { port1, port2 } = new MessageChannel();
  serveMeter(test.meter, port1);
  const workerData = { port: port2, secret, requests, isLeftOpen };
  const script = join(import.meta.dirname, 'fixtures/relay-thread.js');
  const worker = new Worker(script, { workerData, transferList: [port2] });
  const report = await new Promise<{ tokens: number; waits: number }>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread ended')));
  });
  return { report, worker };
}

describe('a meter of another thread', () => {
  it('lets in and admits as one of this thread does, and tells why not', async () => {
    const key = newKey({ requestsPerMinute: 2, budgets: [{ tokens: 700, window: 'day' }] });
    test.meter.setFileKeys([key]);
    const { client } = await connect();
    expect(client.keys()).toEqual(test.meter.keys());
    expect(client.authenticate(key.secret)).toMatchObject({ id: 'vk_1', usedHash: key.hash });
    const hold = await client.admit(newRequest());
    expect(client.limitState('vk_1')).toEqual(test.meter.limitState('vk_1'));
    expect(await hold.allow(1)).toBe(true);
    expect(hold.allow(200)).toBe(true);
    await expect.poll(() => hold.grantedTokens).toBe(456);
    expect(await hold.allow(691)).toBe(false);
    expect(await hold.allow(690)).toBe(true);
    const refused: unknown = await client.admit(newRequest()).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'budget_exceeded', details: { limit: 'budget_day' } });
    await hold.settle(used(5, 100));
    client.recordRequest(newRow('row', 1));
    await (await client.admit(newRequest())).settle(used(1, 1));
    expect(await codeOfFailure(() => client.admit(newRequest()))).toBe('rate_limit_exceeded');
    expect(test.meter.usageOf('vk_1')).toMatchObject({ runningRequests: 0, budgets: [{ used: 107n, held: 0n }] });
    expect(test.meter.requests({ limit: 1 })).toMatchObject([{ requestId: 'row' }]);
  });

  it('tells of keys that change and end', async () => {
    const key = newKey();
    test.meter.setFileKeys([key]);
    const { client } = await connect();
    const ended: string[] = [];
    client.onKeyEnded((id, hash) => void ended.push(`${id} ${hash ?? ''}`));
    const { secret } = await test.meter.rotateKey('vk_1', 0, { kind: 'cli' });
    await expect.poll(() => ended).toEqual([`vk_1 ${key.hash}`]);
    expect(client.authenticate(secret).id).toBe('vk_1');
    expect(await codeOfFailure(() => client.authenticate(key.secret))).toBe('invalid_api_key');
    await test.meter.setKeyState('vk_1', 'revoked', { kind: 'cli' });
    await expect.poll(() => ended.at(-1)).toBe('vk_1 ');
    expect(await codeOfFailure(() => client.authenticate(secret))).toBe('invalid_api_key');
    test.meter.setFileKeys([]);
    await expect.poll(() => client.keys()).toEqual([]);
  });

  it('is unavailable when it is gone', async () => {
    test.meter.setFileKeys([newKey()]);
    const { client, stop } = await connect();
    const hold = await client.admit(newRequest());
    stop();
    await expect.poll(() => test.meter.usageOf('vk_1').runningRequests).toBe(0);
    expect(await codeOfFailure(() => client.admit(newRequest()))).toBe('metering_unavailable');
    expect(await codeOfFailure(() => hold.allow(5))).toBe('metering_unavailable');
  });

  it('charges what a real thread used, which seldom waits', async () => {
    const key = newKey({ budgets: [{ tokens: 10 ** 9, window: 'day' }] });
    test.meter.setFileKeys([key]);
    const { report, worker } = await runThread(key.secret, 50, false);
    expect(report.tokens).toBe(50 * 610);
    // Once at the beginning, and rarely later.
    expect(report.waits).toBeLessThan(50 * 10);
    expect(test.meter.usageOf('vk_1')).toMatchObject({ runningRequests: 0, budgets: [{ used: 30_500n, held: 0n }] });
    await worker.terminate();
  });

  it('ends the holds of a thread that died, by the rule of a crash', async () => {
    const key = newKey({ budgets: [{ tokens: 10 ** 9, window: 'day' }] });
    test.meter.setFileKeys([key]);
    const { worker } = await runThread(key.secret, 3, true);
    const { runningRequests, budgets } = test.meter.usageOf('vk_1');
    expect(runningRequests).toBe(4);
    await worker.terminate();
    await expect.poll(() => test.meter.usageOf('vk_1').runningRequests).toBe(0);
    // All but the one that had not begun: 10 and 256 tokens.
    const held = (budgets[0]?.held ?? 0n) - 266n;
    expect(test.meter.usageOf('vk_1').budgets).toMatchObject([{ used: held, held: 0n }]);
    expect(test.meter.usage({ by: 'key' })).toMatchObject([{ requests: 4, estimatedRequests: 3 }]);
  });
});
