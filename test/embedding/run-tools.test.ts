import { once } from 'node:events';
import { Type } from 'typebox';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { carryOutCalls } from '../../src/embedding/carry-out-calls.js';
import {
  createEngine,
  defineTool,
  type ChatMessage,
  type RunnableTool,
  type RunToolsRequest,
  type ToolRound,
} from '../../src/index.js';

const TWO: ChatMessage[] = [{ role: 'user', content: 'What time is it in Oslo and in Cairo?' }];
const ONE: ChatMessage[] = [{ role: 'user', content: 'Is it warm in Oslo?' }];
const OSLO: ChatMessage[] = [{ role: 'user', content: 'What is the capital of Norway?' }];
const City = Type.Object({ city: Type.String() });
const describeTime = { name: 'get_time', description: 'Get the current time in a city.', parameters: City };
const getTime = defineTool({ ...describeTime, run: ({ city }) => ({ time: city === 'Oslo' ? '09:45' : '10:45' }) });
const getWeather = defineTool({
  name: 'get_weather',
  description: 'Get the current weather in a city.',
  parameters: z.object({ city: z.string().transform((city) => city.toUpperCase()) }),
  run: ({ city }) => `{"city": "${city}", "temperature": 21, "sky": "sunny"}`,
});

const engine = await createEngine({ placement: 'inline' });
const model = await engine.load('demo');
afterAll(() => engine.close());

/** The one tool, told as the time of a city. */
function timed(run: RunnableTool<typeof City>['run']): Pick<RunToolsRequest, 'messages' | 'temperature' | 'tools'> {
  return { messages: TWO, temperature: 0, tools: [defineTool({ ...describeTime, run })] };
}

describe('a loop of tools', () => {
  it('carries out calls with typed arguments, and ends with the answer that calls none', async () => {
    const result = await model.runTools({ messages: ONE, temperature: 0, tools: [getWeather, getTime] });
    expect(result).toMatchObject({ rounds: 2, finishReason: 'stop', message: { role: 'assistant' } });
    expect(result.message.content).toMatch(/21|sunny|warm/i);
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(result.messages[2]).toMatchObject({ content: '{"city": "OSLO", "temperature": 21, "sky": "sunny"}' });
    expect(result.messages.at(-1)).toBe(result.message);
    // It goes on from there.
    const more = await model.chat({ messages: [...result.messages, ...ONE], tools: [], temperature: 0 });
    expect(more.choices[0]?.finish_reason).toBe('stop');
  });

  it('carries out the calls of one answer at the same time, with their results in the order of the calls', async () => {
    let numRunning = 0;
    const both = new EventTarget();
    const { messages, rounds } = await model.runTools(
      timed(async ({ city }) => {
        if (++numRunning === 2) queueMicrotask(() => both.dispatchEvent(new Event('both')));
        await once(both, 'both');
        if (city === 'Oslo') await new Promise((resolve) => setImmediate(resolve));
        return { time: city };
      }),
    );
    expect(rounds).toBe(2);
    const results = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(results).toEqual(['{"time":"Oslo"}', '{"time":"Cairo"}']);
  });

  it('tells of chunks, rounds, calls and results in their order, and what all of it took', async () => {
    const seen: string[] = [];
    const rounds: ToolRound[] = [];
    let told = 0;
    const result = await model.runTools(
      { messages: TWO, temperature: 0, tools: [getTime] },
      {
        onChunk: (_, round) => seen.at(-1) === `chunk ${round}` || seen.push(`chunk ${round}`),
        onRound(round) {
          seen.push(`round ${round.round}`);
          rounds.push(round);
        },
        onCall: ({ round, call }) => seen.push(`call ${round} ${call.function.arguments}`),
        onResult: ({ round, content, isError }) => seen.push(`result ${round} ${content} ${isError}`),
        onUsage: (usage) => (told = usage.total_tokens),
      },
    );
    expect(seen.slice(0, 4)).toEqual(['chunk 1', 'round 1', 'call 1 {"city": "Oslo"}', 'call 1 {"city": "Cairo"}']);
    expect(seen.slice(4, 6).toSorted()).toEqual(['result 1 {"time":"09:45"} false', 'result 1 {"time":"10:45"} false']);
    expect(seen.slice(6)).toEqual(['chunk 2', 'round 2']);
    expect(rounds.map(({ finishReason }) => finishReason)).toEqual(['tool_calls', 'stop']);
    expect(result.usage.total_tokens).toBe(rounds.reduce((sum, { usage }) => sum + usage.total_tokens, 0));
    expect(told).toBe(result.usage.total_tokens);
  });

  it('forces a call once, and holds an answer without calls to a format', async () => {
    const { message, rounds } = await model.runTools({
      messages: ONE,
      temperature: 0,
      tools: [getWeather, getTime],
      tool_choice: { type: 'function', function: { name: 'get_time' } },
      maxRounds: 2,
    });
    expect(rounds).toBe(2);
    expect(message.tool_calls).toBeUndefined();
    const format = { type: 'json_schema', json_schema: { schema: { enum: ['Oslo', 'Rome'] } } } as const;
    const asked = { messages: OSLO, temperature: 0, tools: [getWeather], tool_choice: 'none' } as const;
    expect((await model.runTools({ ...asked, response_format: format })).message.content).toBe('"Oslo"');
  });

  it('answers without tools, and without a call', async () => {
    const asked = { messages: OSLO, temperature: 0 };
    expect((await model.runTools({ ...asked, tools: [] })).message.content).toContain('Oslo');
    const forbidden = await model.runTools({ ...asked, tools: [getTime], tool_choice: 'none' });
    expect(forbidden).toMatchObject({ rounds: 1, message: { content: expect.stringContaining('Oslo') } });
  });
});

describe('what goes wrong in a loop of tools', () => {
  const broken = new Error('no clock there');

  it('ends it with the error of a tool, and aborts the other calls', async () => {
    let reason: unknown;
    const failing = model.runTools(
      timed(async ({ city }, { signal }) => {
        if (city === 'Oslo') throw broken;
        signal.addEventListener('abort', () => (reason = signal.reason));
        return new Promise(() => {});
      }),
    );
    await expect(failing).rejects.toBe(broken);
    expect(reason).toBe(broken);
  });

  it('goes to the model where that is asked', async () => {
    const results: unknown[] = [];
    const { rounds } = await model.runTools(
      {
        ...timed(({ city }) => {
          if (city === 'Oslo') throw broken;
          return '10:45';
        }),
        toolErrors: 'tell',
      },
      { onResult: ({ content, isError }) => results.push([content, isError]) },
    );
    expect(rounds).toBe(2);
    expect(results).toHaveLength(2);
    expect(results).toEqual(
      expect.arrayContaining([
        ['{"error":"no clock there"}', true],
        ['10:45', false],
      ]),
    );
  });

  it('are arguments that a schema refuses', async () => {
    const picky = defineTool({
      ...describeTime,
      parameters: z.object({ city: z.string().refine((city) => city !== 'Cairo', 'not that one') }),
      run: ({ city }) => city,
    });
    const request = { messages: TWO, temperature: 0, tools: [picky] } as const;
    await expect(model.runTools(request)).rejects.toMatchObject({
      code: 'tool_arguments_invalid',
      message: expect.stringMatching(/get_time.*city: not that one/),
    });
    const { messages } = await model.runTools({ ...request, toolErrors: 'tell' });
    expect(messages[3]).toMatchObject({ role: 'tool', content: expect.stringContaining('not that one') });
  });

  it.each<readonly [string, unknown, RegExp]>([
    ['nothing', undefined, /returned nothing/],
    ['a bigint', { n: 1n }, /bigint/],
    ['a map within', { of: new Map() }, /a Map/],
    ['a promise within', [Promise.resolve(1)], /a Promise/],
    ['a number that JSON lacks', { n: NaN }, /the number NaN/],
    ['a function', () => 1, /a function/],
    ['too much', 'x'.repeat(101), /101 characters; .* at most 100/],
  ])('is a result that is %s', async (_, value, message) => {
    const failing = model.runTools({ ...timed(() => value as string), maxResultLength: 100, toolErrors: 'tell' });
    await expect(failing).rejects.toMatchObject({
      code: 'tool_result_invalid',
      message: expect.stringMatching(message),
      details: { tool: 'get_time' },
    });
  });

  it('are too many rounds and too many calls, of which none is carried out', async () => {
    let numCalls = 0;
    const request = timed(() => `${++numCalls}`);
    const code = 'tool_limit_exceeded';
    await expect(model.runTools({ ...request, maxRounds: 1 })).rejects.toMatchObject({
      code,
      details: { maxRounds: 1 },
    });
    await expect(model.runTools({ ...request, maxCallsPerRound: 1 })).rejects.toMatchObject({
      code,
      message: expect.stringContaining('2 calls'),
    });
    expect(numCalls).toBe(0);
  });

  it('is an abort, also in the middle of a tool that does not hear it', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { signal } = controller;
    const deaf = timed(() => new Promise<string>(() => {}));
    const aborted = model.runTools({ ...deaf, toolErrors: 'tell' }, { signal, onCall: () => controller.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    await expect(model.runTools(deaf, { signal })).rejects.toBe(reason);
  });

  it('is what a callback throws', async () => {
    for (const name of ['onChunk', 'onRound', 'onCall', 'onResult'] as const) {
      const options = {
        [name]: () => {
          throw broken;
        },
      };
      await expect(model.runTools({ ...timed(() => '1'), toolErrors: 'tell' }, options)).rejects.toBe(broken);
    }
  });

  it('is a call of a tool that is not there', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'get_tide', arguments: '{}' } } as const;
    const tools = new Map([['get_time', { tool: getTime, schema: undefined }]]);
    const rules = { maxResultLength: 99, signal: new AbortController().signal, onCall() {}, onResult() {} };
    await expect(carryOutCalls([call], tools, { ...rules, tellsErrors: false })).rejects.toMatchObject({
      code: 'tool_unknown',
      message: 'the model calls "get_tide", which is none of the tools: get_time',
    });
    expect(await carryOutCalls([call], tools, { ...rules, tellsErrors: true })).toMatchObject([{ isError: true }]);
  });

  it.each<readonly [string, object, string, string]>([
    ['two tools of one name', { tools: [getTime, getTime] }, 'invalid_value', 'tools[1].name'],
    ['a tool that cannot be run', { tools: [describeTime] }, 'invalid_value', 'tools[0].run'],
    ['tools that are no list', { tools: getTime }, 'invalid_value', 'tools'],
    ['a tool that is none', { tools: [null] }, 'invalid_value', 'tools[0]'],
    ['a tool without a name', { tools: [{ run: () => 1 }] }, 'invalid_type', 'tools[0].name'],
    [
      'a schema that cannot be held',
      { tools: [{ ...getTime, parameters: { properties: { a: { pattern: String.raw`(a)\1` } } } }] },
      'unsupported_schema',
      'tools[0].parameters',
    ],
    ['several answers', { tools: [getTime], n: 2 }, 'invalid_value', 'n'],
    ['no rounds', { tools: [getTime], maxRounds: 0 }, 'invalid_option', 'maxRounds'],
    ['a word that is none', { tools: [getTime], toolErrors: 'ignore' }, 'invalid_option', 'toolErrors'],
    ['a misspelt field', { tools: [getTime], maxRound: 1 }, 'unknown_parameter', 'maxRound'],
  ])('is a request with %s', async (_, change, code, param) => {
    const request = { messages: ONE, ...change } as unknown as RunToolsRequest;
    await expect(model.runTools(request)).rejects.toMatchObject({ code, details: { param } });
  });
});
