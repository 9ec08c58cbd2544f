// Tokens of answers whose providers tell none: of their text, alike whole and streamed, wherever a stream is cut.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerTee } from '../../src/relay/answer/tee.js';
import { dialects, estimatePrompt, type DialectName } from '../../src/relay/index.js';
import { estimateTokens, TokenEstimate } from '../../src/relay/usage/estimate-tokens.js';

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.lorem({ maxCount: 20 }),
);

/** Completion tokens of an answer that comes in pieces of `size` bytes. */
async function tokensOf(name: DialectName, text: string, contentType: string, size: number): Promise<number> {
  const tee = new AnswerTee({
    dialect: dialects[name],
    status: 200,
    contentType,
    contentEncoding: undefined,
    takeOutUsage: false,
    estimatePrompt: () => 0,
  });
  const body = Buffer.from(text);
  for (let at = 0; at < body.length; at += size) tee.write(body.subarray(at, at + size));
  const { completionTokens, isEstimated } = await tee.usage();
  expect(isEstimated).toBe(true);
  return completionTokens;
}

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const ways: readonly (readonly [DialectName, (text: string) => unknown, (piece: string) => unknown])[] = [
  [
    'chat-completions',
    (text) => ({ choices: [{ message: { content: text }, logprobs: { content: [{ token: 'many', logprob: -1 }] } }] }),
    (piece) => ({ choices: [{ index: 0, delta: { content: piece }, logprobs: { content: [{ token: 'x' }] } }] }),
  ],
  [
    'chat-completions',
    (text) => ({ choices: [{ message: { reasoning_content: text } }] }),
    (piece) => ({ choices: [{ index: 0, delta: { reasoning: piece, reasoning_content: piece } }] }),
  ],
  [
    'chat-completions',
    (text) => ({ choices: [{ message: { tool_calls: [{ function: { arguments: text } }] } }] }),
    (piece) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } }] }),
  ],
  ['completions', (text) => ({ choices: [{ text }] }), (piece) => ({ choices: [{ index: 0, text: piece }] })],
  [
    'messages',
    (text) => ({ content: [{ type: 'thinking', thinking: text }] }),
    (piece) => ({ index: 0, delta: { type: 'thinking_delta', thinking: piece } }),
  ],
  [
    'messages',
    (text) => ({ content: [{ type: 'text', text }] }),
    (piece) => ({ index: 0, delta: { type: 'text_delta', text: piece } }),
  ],
  [
    'responses',
    (text) => ({ output: [{ content: [{ text }] }] }),
    (piece) => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: piece }),
  ],
  [
    'responses',
    (text) => ({ output: [{ summary: [{ text }] }] }),
    (piece) => ({ type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: piece }),
  ],
];

describe('an estimate of tokens', () => {
  it('is the same wherever its text is cut, also within a character', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, size) => {
        const estimate = new TokenEstimate();
        for (let at = 0; at < text.length; at += size) estimate.add(text.slice(at, at + size));
        expect(estimate.tokens).toBe(estimateTokens(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(ways)(
    'of a whole answer and of its stream is that of its text, however these are cut: %s',
    async (name, whole, chunk) => {
      await fc.assert(
        fc.asyncProperty(
          texts,
          fc.integer({ min: 1, max: 9 }),
          fc.integer({ min: 1, max: 40 }),
          async (text, cut, size) => {
            // Halves of a character do not survive as UTF-8.
            const clean = text.toWellFormed();
            const points = Array.from(clean);
            const pieces = Array.from({ length: Math.ceil(points.length / cut) }, (_, i) =>
              points.slice(i * cut, (i + 1) * cut).join(''),
            );
            const stream = pieces.map((piece) => event(chunk(piece))).join('');
            const tokens = estimateTokens(clean);
            expect(await tokensOf(name, JSON.stringify(whole(clean)), 'application/json', size)).toBe(tokens);
            expect(await tokensOf(name, stream, 'text/event-stream', size)).toBe(tokens);
          },
        ),
        { numRuns: 150 },
      );
    },
  );

  it('counts words, numbers, signs and characters of other scripts, and grows with every character or stands', () => {
    expect(['', 'a', ' the cat sat', 'x'.repeat(40), '日本語', '1234567890', 'fooBar'].map(estimateTokens)).toEqual([
      0, 1, 3, 11, 3, 4, 3,
    ]);
    fc.assert(fc.property(texts, texts, (a, b) => estimateTokens(a + b) >= estimateTokens(a)));
  });

  it('of a prompt is that of its texts: images cost by the piece, and names of members nothing', () => {
    const of = (body: object): number => estimatePrompt(Buffer.from(JSON.stringify(body)));
    // Four tokens are around each message.
    expect(of({ messages: [{ role: 'user', content: 'one two three' }] })).toBe(7);
    expect(of({ messages: [{ role: 'user', content: [{ type: 'text', text: 'one two three' }] }] })).toBe(7);
    const url = `data:image/png;base64,${'A'.repeat(100_000)}`;
    expect(of({ messages: [{ content: [{ type: 'image_url', image_url: { url } }] }] })).toBe(1_004);
    expect(of({ input: ['one two', 'three'] })).toBe(3);
    expect(of({ prompt: [1, 2, 3, 4] })).toBe(4);
    expect(of({ system: 'one two', messages: [], metadata: { user: 'a very long name of a user' } })).toBe(2);
  });
});
