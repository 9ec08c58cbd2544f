import { describe, expect, it } from 'vitest';
import type { ChatCompletionChunk } from '../../src/api/index.js';
import type { ChatCompletionRequest } from '../../src/wire/request-schemas.js';
import type { SequenceOutput } from '../../src/engine/index.js';
import { createScript, createTestCompletion, letterTokenizer } from './script.js';

const messages: ChatCompletionRequest['messages'] = [{ role: 'user', content: 'hi' }];
const ids = letterTokenizer.encode('word');
const logprobs = ids.map((_, place) => ({ logprob: -place, top: [] }));

/** Four letters, and what ends them: a stop id after them, a constraint behind the last, or nothing but its number. */
const ends: Record<string, readonly [outputs: SequenceOutput[], completionTokens: number, reason: string]> = {
  'a stop id': [
    [
      { tokenIds: ids, logprobs },
      { tokenIds: [], logprobs: [], finishReason: 'stop' },
    ],
    5,
    'stop',
  ],
  'the end of a constraint': [[{ tokenIds: ids, logprobs, finishReason: 'constraint' }], 4, 'stop'],
  'the end of a constraint, told later': [
    [
      { tokenIds: ids, logprobs },
      { tokenIds: [], logprobs: [], finishReason: 'constraint' },
    ],
    4,
    'stop',
  ],
  'no room': [[{ tokenIds: ids, logprobs, finishReason: 'length' }], 4, 'length'],
};

describe.each(Object.entries(ends))('an answer that ends by %s', (_, [outputs, completionTokens, reason]) => {
  const usage = { completion_tokens: completionTokens, total_tokens: expect.any(Number) as number };

  it('counts its tokens, whole', async () => {
    const answer = await createTestCompletion(createScript(outputs)).chat({ messages, logprobs: true });
    expect(answer.usage).toMatchObject(usage);
    const [choice] = answer.choices;
    expect(choice?.finish_reason).toBe(reason);
    expect(choice?.message.content).toBe('word');
    expect(choice?.logprobs?.content).toHaveLength(4);
  });

  it('counts the same, streamed', async () => {
    const chunks: ChatCompletionChunk[] = [];
    const request = { messages, logprobs: true, stream_options: { include_usage: true } };
    for await (const chunk of createTestCompletion(createScript(outputs)).stream(request)) chunks.push(chunk);
    expect(chunks.at(-1)?.usage).toMatchObject(usage);
    expect(chunks.flatMap(({ choices }) => choices[0]?.logprobs?.content ?? [])).toHaveLength(4);
  });

  it('counts the same as a text', async () => {
    const completer = createTestCompletion(createScript(outputs), { stopTokenIds: [] });
    const answer = await completer.complete({ model: 'scripted', prompt: 'hi', max_tokens: 9 });
    expect(answer.usage).toMatchObject(usage);
    expect(answer.choices[0]).toMatchObject({ text: 'word', finish_reason: reason });
  });
});
