// A provider that works again, by the webhook: it takes a minute of a real clock.
import { expect, it } from 'vitest';
import { SECRET, startReceiver } from '../../alerts/start-receiver.js';
import { completion, startRuntime, whole } from '../../gateway/serving/runtime.js';
import { chat, providerAt, startHosted } from '../../hosted/serving/start-hosted.js';

const readSecret = async (source: { readonly from: string; readonly name?: string }): Promise<string> => {
  if (source.name === 'HOOK') return SECRET;
  return source.name === 'SECRET' ? '0123456789abcdef0123456789abcdef' : 'a-credential';
};

it('a node tells a provider whose requests fail, and that it works again', { timeout: 120_000 }, async () => {
  const back = { timeout: 90_000, interval: 500 };
  await using receiver = await startReceiver();
  let isAway = true;
  await using provider = await startRuntime(
    (_, socket) => void socket.write(isAway ? whole('{"error":{}}', 503) : whole(completion(1, 1))),
  );
  const webhooks = [{ id: 'ops', url: receiver.url, secret: { env: 'HOOK' } }];
  const file = { providers: [providerAt(provider.url)], alerts: { webhooks } };
  await using hosted = await startHosted(file, { readSecret });
  await hosted.price();
  const payer = await hosted.payer();
  for (let i = 0; i < 12; i++) await chat(hosted, payer);
  await expect.poll(() => receiver.types(), back).toEqual(['provider.down']);
  expect(receiver.got[0]?.body.data).toEqual({ provider: 'up', trouble: 'requests_fail' });
  isAway = false;
  await expect.poll(async () => (await chat(hosted, payer)).status, back).toBe(200);
  await expect.poll(() => receiver.types(), back).toEqual(['provider.down', 'provider.up']);
  const data = { provider: 'up', down_s: expect.any(Number) as number };
  expect(receiver.got[1]?.body.data).toEqual(data);
});
