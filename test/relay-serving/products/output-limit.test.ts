// A request's own limit is held and charged, streamed and whole; what an upstream keeps within it is never cut.
import { expect, it } from 'vitest';
import { BEYOND, startWordyRuntime, textOf, WITHIN } from '../../gateway/serving/wordy-runtime.js';
import { errorOf } from '../../support/start-product.js';
import { describeProducts } from './relay-products.js';

describeProducts('output limits', ({ start }) => {
  it.each(BEYOND)(
    'cut an answer of 1,500 tokens near the 10 that were asked for, and charge 10: %s',
    async (_, written) => {
      await using upstream = await startWordyRuntime(written);
      await using product = await start(upstream.url);
      const caller = await product.caller();
      for (const [i, name] of ['max_tokens', 'max_completion_tokens', 'num_predict'].entries()) {
        const got = await product.chat(caller, { stream: true, [name]: 10 });
        const words = textOf(got.body.toString()).trim().split(' ');
        expect(words.length).toBeGreaterThanOrEqual(10);
        expect(words.length).toBeLessThanOrEqual(21);
        expect(got.body.toString()).toContain('output_limit_reached');
        expect((await product.ended(caller, i + 1))[0]).toBe(10);
      }
      const whole = await product.chat(caller, { max_tokens: 10 });
      expect([whole.status, errorOf(whole)['code']]).toEqual([502, 'output_limit_reached']);
      for (const tokens of await product.ended(caller, 4)) expect(tokens).toBeLessThanOrEqual(10);
      expect(product.lines.at(-1)).toMatchObject({ status: 502, code: 'output_limit_reached' });
      // Four prompts and four answers of ten tokens at most.
      expect((await product.paidMicro(caller)) ?? 0n).toBeLessThanOrEqual(4n * (30n + 20n));
    },
  );

  it.each(WITHIN)(
    'leave an answer of 10 tokens whole, which an account with just enough can pay: %s',
    async (_, written) => {
      await using upstream = await startWordyRuntime(written);
      await using product = await start(upstream.url);
      // The bound of its prompt, and ten tokens.
      const caller = await product.caller({ units: 0.0001 });
      for (const stream of [true, false]) {
        const got = await product.chat(caller, { stream, max_tokens: 10 });
        expect([got.status, got.isBroken]).toEqual([200, false]);
        const text = got.body.toString();
        if (stream) expect(text).toMatch(/\[DONE\]\n\n$/);
        const content = stream
          ? textOf(text)
          : (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;
        expect(content).toBe(written.pieces.join(''));
      }
      for (const tokens of await product.ended(caller, 2))
        expect(tokens).toBeLessThanOrEqual(Math.max(10, written.told ?? 0));
    },
  );
});
