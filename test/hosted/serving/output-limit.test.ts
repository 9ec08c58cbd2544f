// A request's own limit is held and charged, streamed and whole; what a provider keeps within it is never cut.
import { describe, expect, it } from 'vitest';
import { BEYOND, startWordyRuntime, textOf, WITHIN } from '../../gateway/serving/wordy-runtime.js';
import { chat, providerAt, settledOf, startHosted } from './start-hosted.js';

describe('an answer of 1,500 tokens where 10 were asked for', () => {
  it.each(BEYOND)('is cut near 10 and charged so: %s', async (_, written) => {
    await using provider = await startWordyRuntime(written);
    await using node = await startHosted({ providers: [providerAt(provider.url)] });
    await node.price();
    const payer = await node.payer();
    const streamed = await chat(node, payer, { stream: true, max_tokens: 10 });
    expect(textOf(streamed.body.toString()).trim().split(' ').length).toBeLessThanOrEqual(21);
    expect(streamed.body.toString()).toContain('output_limit_reached');
    expect(await settledOf(node, payer)).toMatchObject([{ state: 'settled', completionTokens: 10 }]);
    const whole = await chat(node, payer, { max_tokens: 10 });
    expect([whole.status, whole.body.toString()]).toEqual([502, expect.stringContaining('output_limit_reached')]);
    for (const { completionTokens } of await settledOf(node, payer, 2))
      expect(completionTokens).toBeLessThanOrEqual(10);
    const { availableMicro, heldMicro } = await node.billing.accounts.get(payer.account.id);
    expect(heldMicro).toBe(0n);
    // Two prompts and two answers of ten tokens at most.
    expect(100_000_000n - availableMicro).toBeLessThanOrEqual(2n * (30n + 20n));
  });
});

describe('an answer of 10 tokens where 10 were asked for', () => {
  it.each(WITHIN)('is whole, and paid by an account that has just enough: %s', async (_, written) => {
    await using provider = await startWordyRuntime(written);
    await using node = await startHosted({ providers: [providerAt(provider.url)] });
    await node.price();
    // The bound of its prompt, and ten tokens.
    const payer = await node.payer(0.0001);
    for (const stream of [true, false]) {
      const got = await chat(node, payer, { stream, max_tokens: 10 });
      expect([got.status, got.isBroken]).toEqual([200, false]);
      const text = got.body.toString();
      if (stream) expect(text).toMatch(/\[DONE\]\n\n$/);
      const content = stream
        ? textOf(text)
        : (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;
      expect(content).toBe(written.pieces.join(''));
    }
  });
});
