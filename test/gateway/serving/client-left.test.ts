// Why a request without an answer ended, in the log and in the request log: its client left, or the gateway stops.
import { expect, it } from 'vitest';
import { chat, makeKey, runtimeAt, startGateway } from './start-gateway.js';
import { startRuntime } from './runtime.js';
import { chatBody, SOON } from '../../support/start-product.js';

it('a client that leaves before its answer is no shutdown', async () => {
  await using runtime = await startRuntime(() => {});
  const key = makeKey();
  await using gateway = await startGateway({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
  const controller = new AbortController();
  const answer = fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: key.headers,
    body: chatBody(),
    signal: controller.signal,
  });
  await expect.poll(() => runtime.asked.length, SOON).toBe(1);
  controller.abort();
  await expect(answer).rejects.toThrow();
  await expect.poll(() => gateway.lines, SOON).toMatchObject([{ status: 499, code: 'client_left' }]);
  const [row] = gateway.meter.requests({ limit: 1, keyId: String(key.entry['id']) });
  expect(row).toMatchObject({ status: 499, errorCode: 'client_left', promptTokens: 0, completionTokens: 0 });
});

it('a request that waits for its answer when the gateway stops is a shutdown', async () => {
  await using runtime = await startRuntime(() => {});
  const key = makeKey();
  await using gateway = await startGateway({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
  const answer = chat(gateway, key);
  await expect.poll(() => runtime.asked.length, SOON).toBe(1);
  await gateway.gateway.drain(50);
  expect((await answer).body.toString()).toContain('shutting_down');
  await expect.poll(() => gateway.lines, SOON).toMatchObject([{ status: 503, code: 'shutting_down' }]);
});
