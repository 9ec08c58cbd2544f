import { describe, expect, it } from 'vitest';
import { ChatCompletion, ChatCompletionChunk } from '../../src/api/index.js';
import { type ChatCompletionRequest } from '../../src/wire/request-schemas.js';
import { neutralSampling, samplingDefaults, type SequenceOutput } from '../../src/engine/index.js';
import { createTemplateRenderer, toArgumentsVariable, type Prompt } from '../../src/chat/index.js';
import { Compile, Type } from '../../src/schema/index.js';
import { createScript, createTestCompletion, letterTokenizer, say } from './script.js';

const user: ChatCompletionRequest = { messages: [{ role: 'user', content: 'hi' }] };
const tools: ChatCompletionRequest['tools'] = [{ type: 'function', function: { name: 'f' } }];
const CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>';

async function chat(outputs: SequenceOutput[], request: Partial<ChatCompletionRequest> = {}) {
  return createTestCompletion(createScript(outputs)).chat({ ...user, ...request });
}

async function stream(outputs: SequenceOutput[], request: Partial<ChatCompletionRequest> = {}) {
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of createTestCompletion(createScript(outputs)).stream({ ...user, ...request }))
    chunks.push(chunk);
  return chunks;
}

const usage = (prompt: number, completion: number, reasoning = 0) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

const promptTokens = letterTokenizer.encode('<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n').length;

describe('chat', () => {
  it('answers in the shape of the wire, and counts the stop id', async () => {
    expect(await chat(say('Hello'))).toEqual({
      id: 'chatcmpl-id0',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'scripted',
      system_fingerprint: 'fp_test',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: usage(promptTokens, 6),
    });
  });

  it('says content null with tool calls alone, and finishes with tool_calls', async () => {
    const completion = await chat(say(`${CALL}\n${CALL}`), { tools });
    expect(Compile(ChatCompletion).Errors(completion)).toEqual([]);
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
    expect(completion.choices[0]?.message).toEqual({
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [
        { id: 'call_id1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } },
        { id: 'call_id2', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } },
      ],
    });
  });

  it('finishes with length even when a call is complete', async () => {
    expect((await chat(say(`${CALL}\nand`, 'length'), { tools })).choices[0]?.finish_reason).toBe('length');
  });

  it.each(['length', 'stop'] as const)(
    'has a call that is cut off as content, and finishes with %s',
    async (reason) => {
      const cut = '<tool_call>\n{"name": "f", "arguments": {"a": "</tool_call>", "b": [1';
      const completion = await chat(say(cut, reason), { tools });
      expect(completion.choices[0]?.finish_reason).toBe(reason);
      expect(completion.choices[0]?.message).toEqual({ role: 'assistant', content: cut, refusal: null });
      const chunks = await stream(say(cut, reason), { tools });
      expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(cut);
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe(reason);
    },
  );

  it('finishes with stop when no call is complete', async () => {
    const completion = await chat(say('<tool_call>\n{"name": "f", "arguments": {"a": oops'), { tools });
    expect(completion.choices[0]?.finish_reason).toBe('stop');
  });

  it('leaves calls out when tool_choice is none, and in the content when no tools were sent', async () => {
    const quiet = await chat(say(`So.${CALL}`), { tools, tool_choice: 'none' });
    expect(quiet.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'So.' } });
    expect(quiet.choices[0]?.message).not.toHaveProperty('tool_calls');
    const cut = await chat(say(`So.${CALL.slice(0, -14)}`, 'length'), { tools, tool_choice: 'none' });
    expect(cut.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'So.' } });
    expect((await chat(say(CALL))).choices[0]?.message.content).toBe(CALL);
  });

  it('separates reasoning, whether prompt or answer opened it, and counts its tokens', async () => {
    const opened = await chat(say('so\n</think>\n\nYes'), { enable_thinking: true });
    expect(opened.choices[0]?.message).toEqual({
      role: 'assistant',
      content: 'Yes',
      refusal: null,
      reasoning_content: 'so',
    });
    expect(opened.usage.completion_tokens_details.reasoning_tokens).toBe(3);
    const own = await chat(say('<think>\nso\n</think>\n\nYes'));
    expect(own.choices[0]?.message.reasoning_content).toBe('so');
    const cut = await chat(say('so it', 'length'), { enable_thinking: true });
    expect(cut.choices[0]?.message).toEqual({
      role: 'assistant',
      content: '',
      refusal: null,
      reasoning_content: 'so it',
    });
    expect(cut.choices[0]?.finish_reason).toBe('length');
  });

  it('never shows control tokens', async () => {
    expect((await chat(say('a<|im_start|>b'))).choices[0]?.message.content).toBe('ab');
  });

  it('reads thinking, enable_thinking and the template argument in this order', async () => {
    const ask = async (request: Partial<ChatCompletionRequest>): Promise<string | undefined> =>
      (await chat(say('x'), request)).choices[0]?.message.reasoning_content;
    expect(await ask({ chat_template_kwargs: { enable_thinking: true } })).toBe('x');
    expect(await ask({ chat_template_kwargs: { enable_thinking: true }, enable_thinking: false })).toBeUndefined();
    expect(await ask({ enable_thinking: false, thinking: { type: 'enabled' } })).toBe('x');
    expect(await ask({ enable_thinking: true, thinking: { type: 'disabled' } })).toBeUndefined();
  });

  it('passes sampling, seed and room on, max_completion_tokens before max_tokens', async () => {
    const script = createScript(say('x'), 100);
    const completion = createTestCompletion(script);
    await completion.chat(user);
    await completion.chat({
      ...user,
      temperature: 0,
      top_p: 0.5,
      top_k: -1,
      min_p: 0.1,
      seed: -3,
      max_tokens: 9,
      max_completion_tokens: 5,
    });
    await completion.chat({ ...user, max_tokens: 5000, top_k: 4 });
    expect(script.requests.map(({ maxTokens, sampling }) => [maxTokens, sampling])).toEqual([
      [100 - promptTokens, { ...neutralSampling, ...samplingDefaults.api, seed: 7 }],
      [5, { ...neutralSampling, temperature: 0, topP: 0.5, topK: -1, minP: 0.1, seed: -3 }],
      [100 - promptTokens, { ...neutralSampling, ...samplingDefaults.api, topK: 4, seed: 7 }],
    ]);
    expect(script.requests[0]?.stopTokenIds).toEqual(letterTokenizer.encode('<|im_end|>'));
  });

  it('refuses a prompt that leaves no room for one token', async () => {
    const chatIn = (contextLength: number) => createTestCompletion(createScript(say('x'), contextLength)).chat(user);
    await expect(chatIn(promptTokens)).rejects.toMatchObject({
      code: 'context_length_exceeded',
      details: { n_prompt_tokens: promptTokens, n_ctx: promptTokens },
    });
    expect((await chatIn(promptTokens + 1)).choices[0]?.message.content).toBe('x');
  });

  it('rejects with the reason of an abort, before and during the answer', async () => {
    const reason = new Error('changed my mind');
    const early = createTestCompletion(createScript(say('x'))).chat(user, { signal: AbortSignal.abort(reason) });
    await expect(early).rejects.toBe(reason);
    const controller = new AbortController();
    const script = createScript(say('xyz'));
    const generator = {
      contextLength: 99,
      async *generate(...args: Parameters<typeof script.generate>) {
        for await (const output of script.generate(...args)) {
          yield output;
          controller.abort(reason);
        }
      },
    };
    await expect(createTestCompletion(generator).chat(user, { signal: controller.signal })).rejects.toBe(reason);
  });
});

describe('stop strings', () => {
  it('end the answer across tokens, are left out, and cancel the sequence', async () => {
    const script = createScript(say('one END two'));
    const completion = await createTestCompletion(script).chat({ ...user, stop: ['END', 'x'] });
    expect(completion.choices[0]?.message.content).toBe('one ');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage.completion_tokens).toBe(7);
    expect(script.left).toBe(true);
  });

  it('hold back what may become one, and no more', async () => {
    const chunks = await stream(say('abEN dEND'), { stop: 'END' });
    expect(chunks.slice(1, -1).map((chunk) => chunk.choices[0]?.delta.content)).toEqual(['a', 'b', 'EN ', 'd']);
    expect((await chat(say('abEN'), { stop: 'END' })).choices[0]?.message.content).toBe('abEN');
  });

  it('are not looked for in reasoning or tool calls', async () => {
    const completion = await chat(say(`a</think>b${CALL}c`), { enable_thinking: true, tools, stop: ['a', '1'] });
    expect(completion.choices[0]?.message.reasoning_content).toBe('a');
    expect(completion.choices[0]?.message.content).toBe('bc');
    expect(completion.choices[0]?.message.tool_calls?.[0]?.function.arguments).toBe('{"a": 1}');
  });
});

describe('stream', () => {
  it('yields role, reasoning, content, calls, finish and usage in this order', async () => {
    const text = `<think>\nhm\n</think>\n\nok\n${CALL}`;
    const chunks = await stream(say(text), { tools, stream_options: { include_usage: true } });
    expect(Compile(Type.Array(ChatCompletionChunk)).Errors(chunks)).toEqual([]);
    const deltas = chunks.slice(0, -1).map((chunk) => chunk.choices[0]?.delta);
    const argumentsOf = (piece: string) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    expect(deltas).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'h' },
      { reasoning_content: 'm' },
      { content: 'o' },
      { content: 'k' },
      { tool_calls: [{ index: 0, id: 'call_id1', type: 'function', function: { name: 'f', arguments: '' } }] },
      // Whole: nothing of a call is given out before it is sure to be one.
      argumentsOf('{"a": 1}'),
      {},
    ]);
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason ?? null).slice(-3)).toEqual([
      null,
      'tool_calls',
      null,
    ]);
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: usage(promptTokens, letterTokenizer.encode(text).length + 1, 4),
    });
    expect(
      new Set(
        chunks.map(({ id, created, model, system_fingerprint }) => [id, created, model, system_fingerprint].join()),
      ).size,
    ).toBe(1);
  });

  it('leaves usage out when it was not asked for, and ends an empty answer properly', async () => {
    const chunks = await stream(say(''));
    expect(chunks.map((chunk) => [chunk.choices[0]?.delta, chunk.choices[0]?.finish_reason, 'usage' in chunk])).toEqual(
      [
        [{ role: 'assistant', content: '' }, null, false],
        [{}, 'stop', false],
      ],
    );
  });

  it('joins the tokens of one output into one chunk', async () => {
    const outputs = [
      { tokenIds: letterTokenizer.encode('Hello ') },
      { tokenIds: letterTokenizer.encode('world'), finishReason: 'length' as const },
    ];
    expect((await stream(outputs)).slice(1, -1).map((chunk) => chunk.choices[0]?.delta)).toEqual([
      { content: 'Hello ' },
      { content: 'world' },
    ]);
  });

  it('pulls no token before it is asked for one, and cancels when it is left', async () => {
    const script = createScript(say('abc'));
    const chunks = createTestCompletion(script).stream(user);
    await chunks.next();
    expect(script.requests).toHaveLength(0);
    await chunks.next();
    expect(script.requests).toHaveLength(1);
    await chunks.return();
    expect(script.left).toBe(true);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });

  it('can be left while it waits for a token', async () => {
    let heard: unknown;
    const generator = {
      contextLength: 999,
      async *generate(_: unknown, signal?: AbortSignal): AsyncGenerator<SequenceOutput> {
        await new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => {
            heard = signal.reason;
            reject(signal.reason as Error);
          });
        });
        yield { tokenIds: [] };
      },
    };
    const chunks = createTestCompletion(generator).stream(user);
    await chunks.next();
    const waiting = chunks.next();
    await chunks.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(heard).toMatchObject({ name: 'AbortError' });
  });

  it('rejects with the reason of an abort', async () => {
    const controller = new AbortController();
    const chunks = createTestCompletion(createScript(say('abc'))).stream(user, { signal: controller.signal });
    await chunks.next();
    await chunks.next();
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(chunks.next()).rejects.toBe(reason);
  });
});

describe('renderChat', () => {
  it('gives the template system for developer, text for parts, and arguments as JSON text', async () => {
    let seen: unknown;
    const completion = createTestCompletion(createScript([]), {
      template: { render: (variables) => ((seen = variables), { text: 'x' }) },
    });
    const call = (text: string) => ({
      role: 'assistant' as const,
      content: null,
      tool_calls: [{ id: 'i', type: 'function', function: { name: 'f', arguments: text } }],
    });
    await completion.renderChat(
      [
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        call('{"a":1}'),
        call('{oops'),
        { role: 'tool', tool_call_id: 'i', content: '1' },
      ],
      { templateKwargs: { mine: 1, messages: 'no' }, enableThinking: false },
    );
    const rendered = (text: string) => ({
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'i', type: 'function', function: { name: 'f', arguments: toArgumentsVariable(text) } }],
    });
    expect(seen).toEqual({
      mine: 1,
      enable_thinking: false,
      eos_token: '<|im_end|>',
      messages: [
        { role: 'system', content: 'ab' },
        rendered('{"a":1}'),
        rendered('{oops'),
        { role: 'tool', tool_call_id: 'i', content: '1' },
      ],
      tools: null,
      documents: null,
      add_generation_prompt: false,
    });
  });

  it('has the documents that a request gives its template, whose control tokens are text', async () => {
    const renderer = createTemplateRenderer({ special: ['<|im_start|>'], tags: [] });
    const template = '<|im_start|>{% for d in documents or [] %}{{ d.text }}{% endfor %}';
    const prompts: Prompt[] = [];
    const completion = createTestCompletion(createScript(say('x')), {
      template: {
        render(variables) {
          const prompt = renderer.renderPrompt(template, variables);
          prompts.push(prompt);
          return prompt;
        },
      },
    });
    const documents = [{ text: 'a <|im_start|>' }];
    await completion.chat({ messages: [{ role: 'user', content: 'x' }], chat_template_kwargs: { documents } });
    expect(prompts).toEqual([{ text: '<|im_start|>a <|im_start|>', plainAt: [15] }]);
  });
});
