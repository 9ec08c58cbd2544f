import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SequenceOutput } from '../../src/engine/index.js';
import { loadTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';
import type { WireCompletion } from '../support/wire-completion.js';
import { createScript, createTestCompletion } from './script.js';

describe('an answer in tokens that begin with a space', () => {
  let tokenizer: Tokenizer;

  beforeAll(async () => {
    tokenizer = await loadTokenizer(join(process.cwd(), 'test/vectors/tokenizers/llama2'));
  });

  const completionOf = (ids: readonly number[]): WireCompletion => {
    const outputs: SequenceOutput[] = ids.map((id, place) => ({
      tokenIds: [id],
      logprobs: [{ logprob: -place, top: [] }],
    }));
    const end: SequenceOutput = { tokenIds: [], logprobs: [], finishReason: 'length' };
    const { vocabSize } = tokenizer;
    const encode = (): number[] => [1];
    const options = { tokenizer, vocabSize, encode, encodeText: encode, stopTokenIds: [] };
    return createTestCompletion(createScript([...outputs, end]), options);
  };
  const bytesOf = (ids: readonly number[]): Buffer => Buffer.concat(ids.map((id) => tokenizer.tokenBytes(id)));
  const asked = { messages: [{ role: 'user' as const, content: 'hi' }] };

  it('loses that space as a text of its own, and keeps it where it goes on with a prompt', async () => {
    const ids = tokenizer.encode('the keeper', { addSpecialTokens: false });
    for (const logprobs of [true, false]) {
      const { choices } = await completionOf(ids).chat({ ...asked, logprobs });
      expect(choices[0]?.message.content).toBe('the keeper');
    }
    for (const logprobs of [0, null]) {
      const { choices } = await completionOf(ids).complete({ prompt: 'a', ...(logprobs === 0 && { logprobs }) });
      expect(choices[0]?.text).toBe(' the keeper');
    }
  });

  it('tells of each token the bytes that are in the content, for any tokens', async () => {
    const texts = fc.array(fc.constantFrom(' the', 'the', '  ', 'é', '😀', ' ', '中', '.', '\n'), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(texts, async (parts) => {
        const ids = tokenizer.encode(parts.join(''), { addSpecialTokens: false });
        const { choices } = await completionOf(ids).chat({ ...asked, logprobs: true });
        const told = choices[0]?.logprobs?.content.flatMap(({ bytes }) => bytes ?? []) ?? [];
        expect(Buffer.from(told).toString()).toBe(choices[0]?.message.content ?? '');
        expect(choices[0]?.message.content ?? '').toBe(tokenizer.decode(ids));
        const text = await completionOf(ids).complete({ prompt: 'a', max_tokens: 99 });
        expect(text.choices[0]?.text).toBe(bytesOf(ids).toString());
      }),
      { numRuns: 200, seed: 51 },
    );
  });
});
