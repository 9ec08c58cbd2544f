import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ChatCompletionChunk, TextCompletion } from '../../src/api/index.js';
import type { ChatCompletionRequest } from '../../src/wire/request-schemas.js';
import type { SequenceOutput } from '../../src/engine/index.js';
import { loadTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';
import type { WireCompletion } from '../support/wire-completion.js';
import { createScript, createTestCompletion } from './script.js';

const user: ChatCompletionRequest = { messages: [{ role: 'user', content: 'hi' }] };

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('an answer that is cut inside a character', () => {
  let tokenizer: Tokenizer;
  /** Ids whose bytes are no text by themselves. */
  let partial: readonly number[];

  beforeAll(async () => {
    tokenizer = await loadTokenizer(join(process.cwd(), 'assets/demo'));
    const all = Array.from({ length: tokenizer.vocabSize }, (_, id) => id);
    partial = all.filter((id) => tokenizer.decode([id]).includes('\ufffd'));
  });

  const outputsOf = (ids: readonly number[], finishReason: 'stop' | 'length'): SequenceOutput[] => [
    ...ids.map((id, place) => ({ tokenIds: [id], logprobs: [{ logprob: -place, top: [] }] })),
    { tokenIds: [], logprobs: [], finishReason },
  ];
  const optionsOf = () => ({ tokenizer, vocabSize: tokenizer.vocabSize, encode: () => [1], encodeText: () => [1] });
  const chatOf = (ids: readonly number[], finishReason: 'stop' | 'length' = 'length'): WireCompletion =>
    createTestCompletion(createScript(outputsOf(ids, finishReason)), optionsOf());
  const completerOf = (ids: readonly number[]): WireCompletion =>
    createTestCompletion(createScript(outputsOf(ids, 'length')), { ...optionsOf(), stopTokenIds: [] });

  /** The text of all bytes but those of a character that more could complete. */
  const validPrefix = (ids: readonly number[]): string =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(
      Uint8Array.from(ids.flatMap((id) => [...tokenizer.tokenBytes(id)])),
      { stream: true },
    );
  const contentOf = (chunks: readonly ChatCompletionChunk[]): string =>
    chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('');

  it('ends before it, streamed as whole, with logprobs and without, in both APIs, for any tokens and any cut', async () => {
    const plain = fc.integer({ min: 0, max: 1_400 }).filter((id) => !tokenizer.decode([id]).includes('<'));
    const id = fc.oneof(
      plain,
      fc.nat(partial.length - 1).map((at) => partial[at] ?? 0),
    );
    const characters = fc
      .constantFrom('😀', '€', 'é', '日本', 'नमस्ते')
      .map((text) => tokenizer.encode(text, { addSpecialTokens: false }));
    const parts = fc.array(
      fc.oneof(
        id.map((one) => [one]),
        characters,
      ),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(parts, fc.nat(30), fc.constantFrom('stop', 'length'), async (all, cut, reason) => {
        const ids = all.flat().slice(0, 1 + cut);
        const expected = validPrefix(ids);
        const completed: TextCompletion[] = [];
        for (const logprobs of [null, 0]) {
          const request = { prompt: 'a', max_tokens: 99, ...(logprobs !== null && { logprobs }) };
          completed.push(await completerOf(ids).complete(request));
          const texts = await collect(completerOf(ids).streamText(request));
          expect(texts.map(({ choices: [choice] }) => choice?.text ?? '').join('')).toBe(expected);
        }
        expect(completed.map(({ choices: [choice] }) => choice?.text)).toEqual([expected, expected]);
        const contents = [];
        for (const logprobs of [true, false]) {
          const whole = await chatOf(ids, reason).chat({ ...user, logprobs });
          contents.push(whole.choices[0]?.message.content);
          contents.push(contentOf(await collect(chatOf(ids, reason).stream({ ...user, logprobs }))));
        }
        expect(contents).toEqual([expected, expected, expected, expected]);
      }),
      { numRuns: 150 },
    );
  });

  it('tells every token of its content with its own bytes, those that were held back too', async () => {
    const ids = [
      ...tokenizer.encode('Hi 😀', { addSpecialTokens: false }),
      ...tokenizer.encode('😀', { addSpecialTokens: false }),
    ];
    for (let cut = 1; cut <= ids.length; cut++) {
      const some = ids.slice(0, cut);
      const { choices } = await chatOf(some).chat({ ...user, logprobs: true });
      const own = some.map((id) => [...tokenizer.tokenBytes(id)]);
      expect(choices[0]?.logprobs?.content.map(({ bytes }) => bytes)).toEqual(own);
      const chunks = await collect(chatOf(some).stream({ ...user, logprobs: true }));
      expect(chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? [])).toEqual(
        choices[0]?.logprobs?.content,
      );
      const legacy = await completerOf(some).complete({ prompt: 'a', max_tokens: 99, logprobs: 0 });
      const { tokens = [], text_offset: offsets = [] } = legacy.choices[0]?.logprobs ?? {};
      expect(tokens).toHaveLength(cut);
      // Each begins where the text before it ends, or in the character that it goes on with.
      expect(offsets).toEqual(some.map((_, i) => validPrefix(some.slice(0, i)).length));
    }
  });

  it('keeps U+FFFD for what the model truly wrote in the middle, with its bytes in the logprobs', async () => {
    const [half = -1] = tokenizer.encode('😀', { addSpecialTokens: false });
    const text = tokenizer.encode('ok', { addSpecialTokens: false });
    const ids = [half, ...text];
    const { choices } = await chatOf(ids).chat({ ...user, logprobs: true });
    expect(choices[0]?.message.content).toBe(tokenizer.decode(ids));
    expect(choices[0]?.message.content).toMatch(/^\ufffd+ok$/);
    expect(choices[0]?.logprobs?.content.map(({ bytes }) => bytes)).toEqual(
      ids.map((id) => [...tokenizer.tokenBytes(id)]),
    );
  });

  it('has no entries for what is cut inside of reasoning', async () => {
    const [half = -1] = tokenizer.encode('😀', { addSpecialTokens: false });
    const ids = [...tokenizer.encode('<think>hm ', { addSpecialTokens: false }), half];
    const { choices } = await chatOf(ids).chat({ ...user, logprobs: true });
    expect(choices[0]?.logprobs?.content).toEqual([]);
    expect(choices[0]?.message.reasoning_content).toBe('hm ');
  });
});
