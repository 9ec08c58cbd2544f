import { describe, expect, it } from 'vitest';
import type { OllamaChatRequest, OllamaGenerateRequest, OllamaToolCall } from '../../src/api/index.js';
import { AppError } from '../../src/base/index.js';
import { textParts, type Delta } from '../../src/completion/index.js';
import { samplingDefaults } from '../../src/engine/index.js';
import { AnswerTimer, dialects, readKeepAlive, toRfc3339, type WireRequest } from '../../src/wire/index.js';
import { CallCollector } from '../../src/wire/ollama/call-collector.js';
import { readOptions } from '../../src/wire/ollama/options.js';
import { HandClock } from '../http/hand-clock.js';

const { ollamaChat, ollamaGenerate } = dialects;
const chat = (body: OllamaChatRequest): WireRequest =>
  ollamaChat.read({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body });
const generate = (body: OllamaGenerateRequest): WireRequest =>
  ollamaGenerate.read({ model: 'm', prompt: 'hi', ...body });

describe('keep_alive', () => {
  it.each([
    [300, 300_000],
    [0, 0],
    [-1, Infinity],
    [1.5, 1500],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['300ms', 300],
    ['2us', 0.002],
    ['-1s', Infinity],
    ['+.5s', 500],
    ['60', 60_000],
    ['5', 5000],
    ['-1', Infinity],
    ['0', 0],
  ])('%s is %d ms', (value, ms) => expect(readKeepAlive(value)).toBeCloseTo(ms, 9));

  it.each(['', '5 m', 'm', '1h-2m', '5d', '1e3s', 'forever', '1s'.repeat(200), NaN, Infinity])(
    '%j is refused',
    (value) => expect(() => readKeepAlive(value)).toThrow(AppError),
  );

  it('is in a request of either kind, and absent leaves it as it was', () => {
    expect(chat({ keep_alive: '10s' }).keepAliveMs).toBe(10_000);
    expect(generate({ keep_alive: -1 }).keepAliveMs).toBe(Infinity);
    expect(chat({}).keepAliveMs).toBeUndefined();
  });
});

describe('options', () => {
  it("are Ollama's own where neither a request nor the model says anything, but for min-p", () => {
    expect(samplingDefaults.ollama).toEqual({ temperature: 0.8, topK: 40, topP: 0.9, repeatLastN: 64, minP: 0.05 });
    expect(readOptions()).toEqual({
      sampling: { values: {}, defaults: 'ollama', seed: undefined },
      maxTokens: undefined,
      stops: [],
      unknown: [],
    });
  });

  it('are those of the samplers, with the names of Ollama', () => {
    const options = {
      temperature: 0,
      top_k: 1.9,
      repeat_penalty: 1.2,
      min_p: 0.1,
      typical_p: 0.5,
      presence_penalty: 3,
    };
    const values = { temperature: 0, topK: 1, repetitionPenalty: 1.2, minP: 0.1, typicalP: 0.5, presencePenalty: 3 };
    expect(readOptions({ ...options, dry_multiplier: 0.8 }).sampling.values).toMatchObject({
      ...values,
      dry: { multiplier: 0.8 },
    });
  });

  it.each([
    [-1, undefined],
    [-2, undefined],
    [0, undefined],
    [7, 7],
    [7.9, 7],
  ])('num_predict %d is a limit of %j', (limit, tokens) => {
    expect(readOptions({ num_predict: limit }).maxTokens).toBe(tokens);
  });

  it('list unknown names, of which the log gets words only', () => {
    const options = { temperatur: 1, 'a secret text': 2, num_ctx: 1, seed: 5, stop: ['', 'x'] };
    expect(readOptions(options)).toMatchObject({ unknown: ['temperatur', 'a secret text'], stops: ['x'] });
    expect(readOptions(options).sampling.seed).toBe(5);
    expect(chat({ options }).ignored).toEqual(['temperatur']);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x${i}`, 1]));
    expect(chat({ options: many }).ignored).toHaveLength(16);
  });

  it('take a seed of -1 for another each time', () => {
    expect(readOptions({ seed: -1 }).sampling.seed).toBeUndefined();
    expect(() => readOptions({ seed: 1e20 })).toThrow(/option "seed"/);
  });
});

describe('a request', () => {
  it.each([
    [chat({ messages: [] }), undefined],
    [chat({ messages: [], keep_alive: 0 }), true],
    [chat({ messages: [], keep_alive: 5 }), undefined],
    [generate({ prompt: '' }), undefined],
    [generate({ prompt: '', keep_alive: '0' }), true],
  ])('without anything to say loads the model or lets it go, and does not stream (%#)', (request, releases) => {
    expect(request).toMatchObject({ isStream: false, completion: { kind: 'text', prompts: [] } });
    expect(request.releases === true).toBe(releases === true);
  });

  it('streams unless it says otherwise', () => {
    expect([chat({}), chat({ stream: true }), chat({ stream: false })].map(({ isStream }) => isStream)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('has its format in the words of no wire', () => {
    expect(chat({}).completion.format).toBeUndefined();
    expect(chat({ format: '' }).completion.format).toBeUndefined();
    expect(chat({ format: 'json' }).completion.format).toEqual({ kind: 'json' });
    const schema = { type: 'object', properties: { b: {}, a: {} } };
    expect(generate({ format: schema }).completion.format).toEqual({
      kind: 'jsonSchema',
      schema,
      isStrict: true,
    });
  });

  it.each([
    [undefined, {}],
    [true, { enabled: true }],
    [false, { enabled: false }],
    ['low', { enabled: true, budgetShare: 0.2 }],
    ['max', { enabled: true }],
  ])('with think %j asks for %j', (think, thinking) => {
    const body = think === undefined ? {} : { think };
    for (const { completion } of [chat(body), generate(body)]) {
      expect(completion).toMatchObject({ kind: 'chat', thinking: { isHidden: false, ...thinking } });
      expect(completion.fields.thinking).toBe(think === undefined ? undefined : 'think');
    }
  });

  it('keeps calls, their results and reasoning of a conversation', () => {
    const request = chat({
      messages: [
        { role: 'ASSISTANT', thinking: 'hm', tool_calls: [{ function: { name: 'f', arguments: { b: 1, a: 'x' } } }] },
        { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'g', arguments: '{"a": 1.0}' } }] },
        { role: 'tool', content: 'done', tool_name: 'f', tool_call_id: 'c' },
      ],
    });
    expect(request.completion).toMatchObject({
      messages: [
        { role: 'assistant', content: [], reasoning: 'hm', calls: [{ name: 'f', argumentsText: '{"b":1,"a":"x"}' }] },
        { calls: [{ id: 'c', name: 'g', argumentsText: '{"a": 1.0}' }] },
        { role: 'tool', content: textParts('done'), name: 'f', callId: 'c' },
      ],
      dropsOldest: true,
    });
    expect(chat({ truncate: false }).completion).toMatchObject({ dropsOldest: false });
  });

  it('for a raw prompt is a text, and otherwise a conversation that a base model continues', () => {
    expect(generate({ raw: true }).completion).toMatchObject({ kind: 'text', prompts: ['hi'], echo: false });
    expect(generate({ system: 'Be brief.', context: [1, 2] }).completion).toMatchObject({
      kind: 'chat',
      messages: [
        { role: 'system', content: textParts('Be brief.') },
        { role: 'user', content: textParts('hi') },
      ],
      textWithoutTemplate: 'Be brief.\n\nhi',
      earlierTokenIds: [1, 2],
      tellsTokenIds: true,
    });
  });
});

describe('a call', () => {
  const of = (...deltas: Delta[]): unknown[] => {
    let calls = 0;
    const collector = new CallCollector(() => `c${calls++}`);
    return [...deltas.flatMap((delta) => collector.add(delta)), ...collector.end()];
  };
  const begin = (index: number, name: string, argumentsText = ''): Delta => {
    return { type: 'toolCall', index, name, argumentsText };
  };

  it('is sent when it is whole, with its arguments in their order', () => {
    const more: Delta = { type: 'toolCall', index: 0, argumentsText: '"a": [1]}' };
    expect(of(begin(0, 'f', '{"b": {}, '), more, begin(1, 'g'), { type: 'content', text: 'x' })).toEqual([
      { id: 'c0', function: { index: 0, name: 'f', arguments: { b: {}, a: [1] } } },
      { id: 'c1', function: { index: 1, name: 'g', arguments: {} } },
    ]);
    const [first] = of(begin(0, 'f', '{"b": 1, "a": 2}')) as { function: { arguments: object } }[];
    expect(Object.keys(first?.function.arguments ?? {})).toEqual(['b', 'a']);
  });

  it('is written with its keys and numbers as the model wrote them, on one line', () => {
    const text = '{ "b": 12345678901234567890,\n "10": "a \\"b\\" {\\n c",\t"2": [1.0, { "x" : null }] }';
    const [call] = of(begin(0, 'f', text)) as OllamaToolCall[];
    const message = { role: 'assistant' as const, content: '"', ...(call && { tool_calls: [call, call] }) };
    const json = ollamaChat.toJson?.({ model: 'm', created_at: 't', done: false, message }) ?? '';
    const exact = '{"b":12345678901234567890,"10":"a \\"b\\" {\\n c","2":[1.0,{"x":null}]}';
    expect(json.split(exact)).toHaveLength(3);
    expect(json).not.toContain('\n');
    expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ model: 'm', created_at: 't', done: false, message })));
  });

  it.each(['[1]', 'no json', '"text"', 'null'])('with arguments that are no object has them as text: %s', (text) => {
    expect(of(begin(0, 'f', text))).toMatchObject([{ function: { arguments: { arguments: text } } }]);
  });
});

describe('times', () => {
  it('are those between the marks of an answer, each made once', () => {
    const clock = new HandClock();
    const timer = new AnswerTimer(clock);
    const marks = [
      () => timer.opened(),
      () => timer.mark({ type: 'begin', echoes: [''], promptTokens: 1, unenforced: [] }),
      () => timer.mark({ type: 'choice', index: 0, deltas: [], begins: true }),
    ];
    expect(timer.read()).toEqual({ totalMs: 0, loadMs: 0, promptMs: 0, completionMs: 0 });
    for (const [i, mark] of marks.entries()) {
      clock.advance(10 ** i);
      mark();
      clock.advance(0);
      mark();
    }
    clock.advance(1000);
    expect(timer.read()).toEqual({ totalMs: 1111, loadMs: 1, promptMs: 100, completionMs: 1000 });
  });

  it.each([
    [0, '1970-01-01T00:00:00.000000000Z'],
    [1_700_000_000_123.25, '2023-11-14T22:13:20.123250000Z'],
    [0.9999999, '1970-01-01T00:00:00.000999999Z'],
  ])('%d is %s', (ms, text) => expect(toRfc3339(ms)).toBe(text));
});
