// Refusals of an account that cannot pay: by name, by status, in units of its currency.
import { expect, it } from 'vitest';
import { chat, providerAt, startHosted } from './start-hosted.js';
import { completion, startRuntime, whole } from '../../gateway/serving/runtime.js';

const errorOf = (body: Uint8Array): unknown => (JSON.parse(Buffer.from(body).toString()) as { error: unknown }).error;

it('sixty requests at once of 0.01 on an account of 0.60 are sixty answers, and the next error says what is missing', async () => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(3, 2))));
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price('demo', { inputNano: 0n, cachedInputNano: 0n, outputNano: 0n, requestNano: 10_000_000n });
  const payer = await node.payer(0.6);
  const sent = await Promise.all(Array.from({ length: 60 }, () => chat(node, payer)));
  expect(sent.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200));
  const refused = await chat(node, payer);
  expect(refused.status).toBe(402);
  expect(errorOf(refused.body)).toMatchObject({
    code: 'insufficient_credit',
    message: expect.stringContaining('may cost 0.01 USD, and the account has 0.00 USD') as string,
  });
  expect(await node.billing.accounts.get(payer.account.id)).toMatchObject({ availableMicro: 0n, heldMicro: 0n });
});

it('a spent budget is 429 insufficient_quota, with what is left in units', async () => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(3, 2))));
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price('demo', { inputNano: 0n, cachedInputNano: 0n, outputNano: 0n, requestNano: 10_000_000n });
  const payer = await node.payer(1, { budgets: [{ amountMicro: 10_100n, window: 'day' }] });
  expect((await chat(node, payer)).status).toBe(200);
  const refused = await chat(node, payer);
  expect(refused.status).toBe(429);
  expect(errorOf(refused.body)).toMatchObject({
    type: 'budget_exceeded',
    code: 'insufficient_quota',
    message: expect.stringContaining('has 0.0001 USD left of 0.0101 USD') as string,
  });
});

it('a price in another currency than the account is 403 currency_mismatch, whose message names both', async () => {
  await using provider = await startRuntime((_, socket) => void socket.write(whole(completion(3, 2))));
  await using node = await startHosted({ providers: [providerAt(provider.url)] });
  await node.price('demo', { currency: 'EUR' });
  const payer = await node.payer();
  const refused = await chat(node, payer);
  expect(refused.status).toBe(403);
  expect(errorOf(refused.body)).toMatchObject({
    code: 'currency_mismatch',
    message: expect.stringMatching(/priced in EUR, and the account is in USD/) as string,
  });
  expect(provider.asked).toHaveLength(0);
});
