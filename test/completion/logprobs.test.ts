import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { ChatCompletion, ChatCompletionChunk, type TokenLogprob } from '../../src/api/index.js';
import { type ChatCompletionRequest } from '../../src/wire/request-schemas.js';
import type { SequenceOutput, TokenLogprobs } from '../../src/engine/index.js';
import { loadTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';
import { Compile, Type } from '../../src/schema/index.js';
import type { WireCompletion } from '../support/wire-completion.js';
import { createScript, createTestCompletion, letterTokenizer } from './script.js';

const asking: ChatCompletionRequest = { messages: [{ role: 'user', content: 'hi' }], logprobs: true };
const tools: ChatCompletionRequest['tools'] = [{ type: 'function', function: { name: 'f' } }];

/** A logprob that tells the place of its token in the answer. */
const told = (place: number): TokenLogprobs => ({ logprob: -place, top: [] });
const placeOf = (entry: TokenLogprob): number => -entry.logprob;

/** `ids` in outputs of `sizes` tokens in turn. */
function outputsOf(ids: readonly number[], sizes: readonly number[]): SequenceOutput[] {
  const outputs: SequenceOutput[] = [];
  for (let at = 0, turn = 0; at < ids.length; turn++) {
    const tokenIds = ids.slice(at, at + (sizes[turn % sizes.length] ?? 1));
    outputs.push({ tokenIds, logprobs: tokenIds.map((_, i) => told(at + i)) });
    at += tokenIds.length;
  }
  return [...outputs, { tokenIds: [], logprobs: [], finishReason: 'stop' }];
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const choiceOf = (answer: ChatCompletion): ChatCompletion['choices'][number] => answer.choices[0] as never;
const entriesOf = (answer: ChatCompletion): TokenLogprob[] => choiceOf(answer).logprobs?.content ?? [];
const contentOf = (chunk: ChatCompletionChunk): string => chunk.choices[0]?.delta.content ?? '';
/** What the bytes of tokens say: with a character at their end that was cut, or what a decoder makes of that. */
const textsOf = (entries: readonly TokenLogprob[]): string[] => {
  const bytes = Uint8Array.from(entries.flatMap((entry) => entry.bytes));
  return [true, false].map((stream) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream }));
};

/** The answer to `request` of a model with letters as tokens that says `text`, each letter told. */
function letters(text: string, request: Partial<ChatCompletionRequest> = {}): Promise<ChatCompletion> {
  const script = createScript(outputsOf(letterTokenizer.encode(text), [1]));
  return createTestCompletion(script).chat({ ...asking, ...request });
}

describe('logprobs', () => {
  it('are asked of the engine with so many alternatives, and are null unless asked for', async () => {
    const script = createScript(outputsOf(letterTokenizer.encode('x'), [1]));
    const completion = createTestCompletion(script);
    const messages = asking.messages;
    expect(choiceOf(await completion.chat({ messages })).logprobs).toBeNull();
    await completion.chat({ messages, logprobs: false });
    await completion.chat({ messages, logprobs: true });
    await completion.chat({ messages, logprobs: true, top_logprobs: 5 });
    expect(script.requests.map(({ logprobs }) => logprobs)).toEqual([undefined, undefined, 0, 5]);
  });

  it('have token, bytes and alternatives in the shape of the wire, with −9999 for minus infinity', async () => {
    const top = [
      { tokenId: 0xe9, logprob: -0.5 },
      { tokenId: 0x62, logprob: -Infinity },
    ];
    const outputs: SequenceOutput[] = [
      { tokenIds: [0x61], logprobs: [{ logprob: -Infinity, top }], finishReason: 'length' },
    ];
    const completion = createTestCompletion(createScript(outputs));
    const answer = await completion.chat({ ...asking, top_logprobs: 2 });
    expect(choiceOf(answer).logprobs).toEqual({
      content: [
        {
          token: 'a',
          logprob: -9999,
          bytes: [0x61],
          top_logprobs: [
            { token: 'é', logprob: -0.5, bytes: [0xc3, 0xa9] },
            { token: 'b', logprob: -9999, bytes: [0x62] },
          ],
        },
      ],
      refusal: null,
    });
    expect(Compile(ChatCompletion).Errors(answer)).toEqual([]);
    const chunks = await collect(completion.stream({ ...asking, top_logprobs: 2 }));
    expect(chunks.map((chunk) => chunk.choices[0]?.logprobs)).toEqual([null, choiceOf(answer).logprobs, null]);
    expect(Compile(Type.Array(ChatCompletionChunk)).Errors(chunks)).toEqual([]);
  });

  it('are those of the content alone: not of reasoning, tags, trimmed newlines or calls', async () => {
    const text = '<think>\nhm\n</think>\n\nok\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>';
    const answer = await letters(text, { tools });
    expect(entriesOf(answer).map(placeOf)).toEqual([8, 9]);
    const calls = await letters(text.slice(text.indexOf('<tool_call>')), { tools });
    expect(choiceOf(calls).logprobs).toEqual({ content: [], refusal: null });
  });

  it('come with the text of a call that breaks off, which is content after all', async () => {
    const text = 'a\n<tool_call>\nno\n</tool_call>b';
    const answer = await letters(text, { tools });
    expect(choiceOf(answer).message.content).toBe(text);
    expect(entriesOf(answer).map(placeOf)).toEqual(letterTokenizer.encode(text).map((_, place) => place));
  });

  it('leave out what a stop string takes, unless it is kept', async () => {
    const stopped = await letters('one END two', { stop: 'END' });
    expect(entriesOf(stopped).map(({ token }) => token)).toEqual(Array.from('one '));
    const kept = await letters('one END two', { stop: 'END', include_stop_str_in_output: true });
    expect(choiceOf(kept).message.content).toBe('one END');
    expect(entriesOf(kept).map(({ token }) => token)).toEqual(Array.from('one END'));
  });
});

describe('the law of bytes', () => {
  let tokenizer: Tokenizer;
  let fragments: readonly number[][];

  beforeAll(async () => {
    tokenizer = await loadTokenizer(join(process.cwd(), 'assets/demo'));
    const texts = [
      '<think>',
      '</think>',
      '<tool_call>',
      '</tool_call>',
      '\n\n',
      'Hello there, world.\n',
      '{"name": "f", "arguments": {"a": 1}}',
      '{"name": "f", ',
      '<tool_ca',
      '😀é€',
      'ENDE',
    ];
    fragments = texts.map((text) => tokenizer.encode(text, { addSpecialTokens: false }));
  });

  const completionOf = (ids: readonly number[], sizes: readonly number[]): WireCompletion =>
    createTestCompletion(createScript(outputsOf(ids, sizes)), {
      tokenizer,
      vocabSize: tokenizer.vocabSize,
      encode: () => [1],
    });

  it('holds in every chunk, whatever tokens come, and the whole answer has the same entries', async () => {
    const part = fc.oneof(fc.nat(10), fc.array(fc.nat(1535), { maxLength: 6 }));
    const fields = fc.record({
      stop: fc.constantFrom<string[]>([], ['END'], ['th', '\n', '1'], ['€']),
      include_stop_str_in_output: fc.boolean(),
      parallel_tool_calls: fc.boolean(),
      enable_thinking: fc.boolean(),
      tools: fc.constantFrom([], tools),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 10 }),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 }),
        fields,
        async (parts, sizes, request) => {
          const ids = parts.flatMap((one) => (typeof one === 'number' ? (fragments[one] ?? []) : one));
          const chunks = await collect(completionOf(ids, sizes).stream({ ...asking, ...request }));
          for (const chunk of chunks) {
            const entries = chunk.choices[0]?.logprobs?.content ?? [];
            expect(textsOf(entries)).toContain(contentOf(chunk));
          }
          const whole = await completionOf(ids, sizes).chat({ ...asking, ...request });
          const entries = entriesOf(whole);
          expect(chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? [])).toEqual(entries);
          const { message } = choiceOf(whole);
          expect(chunks.map(contentOf).join('')).toBe(message.content ?? '');
          const plain = await completionOf(ids, sizes).chat({ ...asking, ...request, logprobs: false });
          expect(choiceOf(plain)).toMatchObject({ finish_reason: choiceOf(whole).finish_reason, logprobs: null });
          expect(choiceOf(plain).message.content).toBe(message.content);
          expect(plain.usage).toEqual(whole.usage);
          expectOwnBytes(ids, entries);
        },
      ),
      { numRuns: 120 },
    );
  });

  /** Places rise; a token's bytes are a run of its own, also where the text is not well-formed. */
  function expectOwnBytes(ids: readonly number[], entries: readonly TokenLogprob[]): void {
    entries.forEach((entry, i) => {
      const place = placeOf(entry);
      const own = Buffer.from(tokenizer.tokenBytes(ids[place] ?? -1));
      expect(own.includes(Buffer.from(entry.bytes))).toBe(true);
      if (i > 0) expect(place).toBeGreaterThan(placeOf(entries[i - 1] as TokenLogprob));
    });
  }

  it('gives each part of a character to its token, in the chunk that brings the character', async () => {
    const ids = tokenizer.encode('😀', { addSpecialTokens: false });
    expect(ids.length).toBeGreaterThan(1);
    const chunks = await collect(completionOf(ids, [1]).stream(asking));
    expect(chunks.map(contentOf)).toEqual(['', '😀', '']);
    const entries = chunks[1]?.choices[0]?.logprobs?.content ?? [];
    expect(entries.map(placeOf)).toEqual(ids.map((_, place) => place));
    expect(entries.map(({ bytes }) => bytes)).toEqual(ids.map((id) => [...tokenizer.tokenBytes(id)]));
    expect(entries[0]?.token).toBe('\ufffd');
  });

  it('cuts a token whose end a stop string or a tag takes', async () => {
    const [id = -1] = tokenizer.encode(' the', { addSpecialTokens: false });
    expect(tokenizer.decode([id])).toBe(' the');
    const stopped = await completionOf([id], [1]).chat({ ...asking, stop: 'he' });
    expect(entriesOf(stopped).map(({ token }) => token)).toEqual([' t']);
    const [end = -1] = tokenizer.encode('.\n', { addSpecialTokens: false });
    expect(tokenizer.decode([end])).toBe('.\n');
    const call = tokenizer.encode('<tool_call>{"name": "f"}</tool_call>', { addSpecialTokens: false });
    const trimmed = await completionOf([id, end, ...call], [1]).chat({ ...asking, tools });
    expect(choiceOf(trimmed).message.content).toBe(' the.');
    expect(entriesOf(trimmed).map(({ token }) => token)).toEqual([' the', '.']);
  });
});
