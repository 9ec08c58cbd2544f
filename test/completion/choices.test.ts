import { describe, expect, it } from 'vitest';
import { ChatCompletion, ChatCompletionChunk } from '../../src/api/index.js';
import { type ChatCompletionRequest } from '../../src/wire/request-schemas.js';
import type { GenerateRequest, Generator, SequenceOutput } from '../../src/engine/index.js';
import { Compile, Type } from '../../src/schema/index.js';
import { createScript, createTestCompletion, letterTokenizer, say } from './script.js';

const user: ChatCompletionRequest = { messages: [{ role: 'user', content: 'hi' }] };
const PROMPT = letterTokenizer.encode('<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n').length;

/** Says the texts in turn, one to each sequence; counts the sequences that run. */
interface Crowd extends Generator {
  readonly requests: GenerateRequest[];
  running: number;
}

/** `pause`: awaited by sequence `index` before its output number `turn`. */
function createCrowd(
  texts: readonly string[],
  pause: (index: number, turn: number, signal: AbortSignal) => Promise<void> = async () => {},
): Crowd {
  const crowd: Crowd = {
    contextLength: 4096,
    requests: [],
    running: 0,
    async *generate(request, signal = new AbortController().signal): AsyncGenerator<SequenceOutput> {
      const index = crowd.requests.push(request) - 1;
      crowd.running++;
      try {
        for (const [turn, output] of say(texts[index % texts.length] ?? '').entries()) {
          await pause(index, turn, signal);
          signal.throwIfAborted();
          yield turn === 0 ? { ...output, cachedTokens: index === 0 ? 3 : PROMPT - 1 } : output;
        }
      } finally {
        crowd.running--;
      }
    },
  };
  return crowd;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

describe('n choices', () => {
  it('are one prompt and n sequences of a group, the first with the seed that it has alone', async () => {
    const crowd = createCrowd(['a', 'b', 'c']);
    const completion = createTestCompletion(crowd);
    await completion.chat({ ...user, n: 3, seed: 11 });
    await completion.chat({ ...user, n: 3, seed: 11 });
    await completion.chat({ ...user, n: 2, seed: 12 });
    await completion.chat({ ...user, seed: 11 });
    const [first, again, other, alone] = [
      crowd.requests.slice(0, 3),
      crowd.requests.slice(3, 6),
      crowd.requests.slice(6, 8),
      crowd.requests.slice(8),
    ];
    const seeds = (requests: readonly GenerateRequest[]): (number | bigint)[] =>
      requests.map(({ sampling }) => sampling.seed);
    const groups = [first, again, other].map((requests) => new Set(requests.map(({ group }) => group)));
    expect(groups.map(({ size }) => size)).toEqual([1, 1, 1]);
    expect(new Set(groups.flatMap((group) => [...group])).size).toBe(3);
    expect(alone[0]).toEqual({ ...first[0], group: undefined });
    expect(first.map(({ promptTokenIds }) => promptTokenIds === first[0]?.promptTokenIds)).toEqual([true, true, true]);
    expect(seeds(first)).toEqual([11, expect.any(Number), expect.any(Number)]);
    expect(seeds(again)).toEqual(seeds(first));
    expect(new Set([...seeds(first), ...seeds(other), 13, 14]).size).toBe(7);
    expect(seeds(first).every(Number.isSafeInteger)).toBe(true);
  });

  it('have seeds that stay what they are', async () => {
    const crowd = createCrowd(['a']);
    await createTestCompletion(crowd).chat({ ...user, n: 3, seed: -5 });
    expect(crowd.requests.map(({ sampling }) => sampling.seed)).toEqual([-5, 6534399164839437, 2879945109942989]);
  });

  it('are answered in order, the prompt counted once, the completions together', async () => {
    const answer = await createTestCompletion(createCrowd(['a', 'bcd', ''])).chat({ ...user, n: 3 });
    expect(Compile(ChatCompletion).Errors(answer)).toEqual([]);
    expect(answer.choices.map(({ index, message, finish_reason }) => [index, message.content, finish_reason])).toEqual([
      [0, 'a', 'stop'],
      [1, 'bcd', 'stop'],
      [2, '', 'stop'],
    ]);
    expect(answer.usage).toEqual({
      prompt_tokens: PROMPT,
      completion_tokens: 7,
      total_tokens: PROMPT + 7,
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
  });

  it('stream as they come, each with its own role and finish chunk, and say what chat says', async () => {
    const texts = ['quick', '', 'slow and long'];
    const request: ChatCompletionRequest = { ...user, n: 3, stream_options: { include_usage: true } };
    const chunks = await collect(createTestCompletion(createCrowd(texts)).stream(request));
    expect(Compile(Type.Array(ChatCompletionChunk)).Errors(chunks)).toEqual([]);
    const whole = await createTestCompletion(createCrowd(texts)).chat(request);
    expect(chunks.slice(0, 3).map(({ choices }) => [choices[0]?.index, choices[0]?.delta.role])).toEqual(
      [0, 1, 2].map((index) => [index, 'assistant']),
    );
    for (const { index, message, finish_reason } of whole.choices) {
      const own = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index);
      expect(own.map(({ delta }) => delta.content ?? '').join('')).toBe(message.content);
      expect(own.map((choice) => choice.finish_reason)).toEqual([
        ...Array.from({ length: own.length - 1 }, () => null),
        finish_reason,
      ]);
    }
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    const order = chunks.map(({ choices }) => choices[0]?.index);
    expect(order.indexOf(2, 3)).toBeLessThan(order.lastIndexOf(0));
  });

  it('end together when one fails, with its error, and none is left running', async () => {
    const broken = new Error('broken');
    const pause = async (index: number, turn: number, signal: AbortSignal): Promise<void> => {
      if (index !== 1) return forever(signal);
      if (turn === 2) throw broken;
    };
    for (const ask of ['chat', 'stream'] as const) {
      const crowd = createCrowd(['abc'], pause);
      const completion = createTestCompletion(crowd);
      const request = { ...user, n: 4 };
      const answer = ask === 'chat' ? completion.chat(request) : collect(completion.stream(request));
      await expect(answer).rejects.toBe(broken);
      expect(crowd.requests).toHaveLength(4);
      expect(crowd.running).toBe(0);
    }
  });

  it('end together when the call is aborted or the stream is left', async () => {
    const reason = new Error('enough');
    for (const ask of ['chat', 'stream', 'leave'] as const) {
      const crowd = createCrowd(['abc'], async (_, turn, signal) => (turn === 1 ? forever(signal) : undefined));
      const completion = createTestCompletion(crowd);
      const controller = new AbortController();
      const request = { ...user, n: 3 };
      const options = { signal: controller.signal };
      if (ask === 'leave') {
        const stream = completion.stream(request);
        for (let i = 0; i < 6; i++) await stream.next();
        const waiting = stream.next();
        await stream.return();
        expect(await waiting).toEqual({ done: true, value: undefined });
      } else {
        const answer =
          ask === 'chat' ? completion.chat(request, options) : collect(completion.stream(request, options));
        setImmediate(() => controller.abort(reason));
        await expect(answer).rejects.toBe(reason);
      }
      expect(crowd.requests).toHaveLength(3);
      expect(crowd.running).toBe(0);
    }
  });

  it('end as a value: nothing is aborted by answers that end, or by streams that are left between two chunks', async () => {
    for (const n of [1, 3]) {
      const signals: AbortSignal[] = [];
      const crowd = createCrowd(['abc', 'a STOP', ''], async (_, turn, signal) => {
        if (turn === 0) signals.push(signal);
      });
      const completion = createTestCompletion(crowd);
      await completion.chat({ ...user, n, stop: 'STOP' });
      await collect(completion.stream({ ...user, n, stop: 'STOP' }));
      const left = completion.stream({ ...user, n });
      await left.next();
      await left.return();
      const leftLater = completion.stream({ ...user });
      for (let i = 0; i < 2; i++) await leftLater.next();
      await leftLater.return();
      expect(signals).toHaveLength(2 * n + 1);
      expect(signals.some(({ aborted }) => aborted)).toBe(false);
      expect(crowd.running).toBe(0);
    }
  });

  it('carry who asks, how urgently, and until when', async () => {
    const crowd = createCrowd(['a']);
    const completion = createTestCompletion(crowd);
    const place = { caller: 'me', priority: 2, deadlineMs: 500 };
    await completion.chat({ ...user, n: 2 }, place);
    await collect(completion.stream(user, place));
    for (const request of crowd.requests) expect(request).toMatchObject(place);
  });
});

describe('parallel_tool_calls false', () => {
  const tools: ChatCompletionRequest['tools'] = [{ type: 'function', function: { name: 'f' } }];
  const call = (n: number): string => `<tool_call>\n{"name": "f", "arguments": {"a": ${n}}}\n</tool_call>`;
  const argumentsOf = (answer: ChatCompletion): unknown =>
    answer.choices[0]?.message.tool_calls?.map((one) => one.function.arguments);

  it('ends the answer with the first complete call, and cancels the sequence', async () => {
    const text = `so\n${call(1)}\n${call(2)} more`;
    for (const perOutput of [1, 1000]) {
      const ids = letterTokenizer.encode(text);
      const outputs: SequenceOutput[] = [];
      for (let at = 0; at < ids.length; at += perOutput) outputs.push({ tokenIds: ids.slice(at, at + perOutput) });
      const script = createScript([...outputs, { tokenIds: [], finishReason: 'length' }]);
      const answer = await createTestCompletion(script).chat({ ...user, tools, parallel_tool_calls: false });
      expect(argumentsOf(answer)).toEqual(['{"a": 1}']);
      expect(answer.choices[0]?.message.content).toBe('so');
      expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
      expect(script.left).toBe(true);
      const read = letterTokenizer.encode(`so\n${call(1).slice(0, call(1).lastIndexOf('}') + 1)}`).length;
      expect(answer.usage.completion_tokens).toBe(read);
    }
  });

  it('passes over a call that breaks off', async () => {
    const script = createScript(say(`<tool_call>no</tool_call>${call(2)}${call(3)}`));
    const answer = await createTestCompletion(script).chat({ ...user, tools, parallel_tool_calls: false });
    expect(argumentsOf(answer)).toEqual(['{"a": 2}']);
    expect(answer.choices[0]?.message.content).toBe('<tool_call>no</tool_call>');
  });

  it('changes nothing about an answer without calls, and true nothing at all', async () => {
    const plain = await createTestCompletion(createScript(say('no calls'))).chat({
      ...user,
      tools,
      parallel_tool_calls: false,
    });
    expect([plain.choices[0]?.message.content, plain.choices[0]?.finish_reason]).toEqual(['no calls', 'stop']);
    const both = createScript(say(call(1) + call(2)));
    const answer = await createTestCompletion(both).chat({ ...user, tools, parallel_tool_calls: true });
    expect(argumentsOf(answer)).toEqual(['{"a": 1}', '{"a": 2}']);
  });
});
