// A request's own limit is held, streamed and whole; what a runtime keeps within it is never cut.
import { describe, expect, it } from 'vitest';
import { chat, errorOf, makeKey, runtimeAt, SOON, startGateway } from './start-gateway.js';
import { BEYOND, startWordyRuntime, textOf, WITHIN } from './wordy-runtime.js';

describe('an answer of 1,500 tokens where 10 were asked for', () => {
  it.each(BEYOND)('is cut near 10 and counted so: %s', async (_, written) => {
    await using runtime = await startWordyRuntime(written);
    const key = makeKey('vk_a');
    await using gateway = await startGateway({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
    for (const [i, name] of ['max_tokens', 'max_completion_tokens', 'num_predict'].entries()) {
      const got = await chat(gateway, key, { stream: true, [name]: 10 });
      const words = textOf(got.body.toString()).trim().split(' ');
      expect(words.length).toBeGreaterThanOrEqual(10);
      expect(words.length).toBeLessThanOrEqual(21);
      expect(got.body.toString()).toContain('output_limit_reached');
      await expect.poll(() => gateway.lines.length, SOON).toBe(i + 1);
      expect(gateway.lines.at(-1)).toMatchObject({ completion_tokens: 10 });
    }
    const whole = await chat(gateway, key, { max_tokens: 10 });
    expect([whole.status, errorOf(whole)['code']]).toEqual([502, 'output_limit_reached']);
    await expect.poll(() => gateway.lines.length, SOON).toBe(4);
    const [row] = gateway.meter.requests({ limit: 1 });
    expect(row).toMatchObject({ completionTokens: 10, errorCode: 'output_limit_reached' });
  });
});

describe('an answer of 10 tokens where 10 were asked for', () => {
  it.each(WITHIN)('is whole, whatever an estimate says of it: %s', async (_, written) => {
    await using runtime = await startWordyRuntime(written);
    const key = makeKey('vk_a');
    await using gateway = await startGateway({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
    const streamed = await chat(gateway, key, { stream: true, max_tokens: 10 });
    expect(textOf(streamed.body.toString())).toBe(written.pieces.join(''));
    expect(streamed.body.toString()).toMatch(/\[DONE\]\n\n$/);
    const whole = await chat(gateway, key, { max_tokens: 10 });
    expect([whole.status, whole.isBroken]).toEqual([200, false]);
    expect(JSON.parse(whole.body.toString())).toMatchObject({
      choices: [{ message: { content: written.pieces.join('') } }],
    });
    await expect.poll(() => gateway.meter.usageOf('vk_a').runningRequests, SOON).toBe(0);
    for (const { completionTokens } of gateway.meter.requests({ limit: 2 }))
      expect(completionTokens).toBeLessThanOrEqual(Math.max(10, written.told ?? 0));
  });
});

it('a budget does not end an answer that it can pay, whatever an estimate says', async () => {
  // Ten tokens of ideographs are some hundred by an estimate.
  await using runtime = await startWordyRuntime({
    pieces: Array.from({ length: 10 }, () => '习近平新时代中国特色社会主义思想'),
    told: 10,
  });
  const key = makeKey('vk_a', { limits: { budget: { tokens: 60, window: 'day' } } });
  await using gateway = await startGateway({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] });
  const got = await chat(gateway, key, { stream: true });
  expect(got.body.toString()).toMatch(/\[DONE\]\n\n$/);
  await expect.poll(() => gateway.meter.usageOf('vk_a').budgets[0]?.used, SOON).toBe(19n);
});
