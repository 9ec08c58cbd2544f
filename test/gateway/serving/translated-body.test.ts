// Answers in chat completions become answers of Messages and Responses: the same streamed and whole, wherever their bytes are cut.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { present } from '../../../src/base/index.js';
import type { MessageAnswer, MessagesEvent, ResponseObject, ResponsesEvent } from '../../../src/api/index.js';
import { TranslatedBody } from '../../../src/gateway/serving/translated-body.js';
import { dialects, toResponse, type UpstreamAnswer } from '../../../src/relay/index.js';
import {
  ChatAnswerReader,
  createTranslatedAnswer,
  toChatRequest,
  type TranslatedApi,
} from '../../../src/translation/index.js';
import { readMessagesStream } from '../../wire/messages-client.js';
import { readResponsesStream } from '../../wire/responses-client.js';

const APIS = ['messages', 'responses'] as const;
const USAGE = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

const chunk = (delta: object, finish: string | null = null): object => ({
  id: 'c',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const call = (index: number, parts: { id?: string; name?: string; args?: string }): object =>
  chunk({
    tool_calls: [
      {
        index,
        ...(parts.id !== undefined && { id: parts.id, type: 'function' }),
        function: { ...(parts.name !== undefined && { name: parts.name }), arguments: parts.args ?? '' },
      },
    ],
  });

/** An answer with all that there is: two calls in parallel, whose pieces come mixed. */
const RICH: readonly object[] = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'Let me ' }),
  chunk({ reasoning: 'think é😀.' }),
  chunk({ content: 'Hello ' }),
  chunk({ content: 'wörld' }),
  call(0, { id: 'call_a', name: 'f' }),
  call(0, { args: '{"a":' }),
  call(1, { id: 'call_b', name: 'patch', args: '{"input":"x\\n' }),
  call(0, { args: '"b"}' }),
  call(1, { args: 'y"}' }),
  chunk({}, 'tool_calls'),
  { id: 'c', choices: [], usage: USAGE },
];

const toSse = (objects: readonly object[], end = 'data: [DONE]\n\n'): string =>
  `: comment\n\n${objects.map((object) => `data: ${JSON.stringify(object)}\n\n`).join('')}${end}`;

/** The whole completion that those chunks are. */
const RICH_WHOLE = {
  id: 'c',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Hello wörld',
        reasoning_content: 'Let me think é😀.',
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'f', arguments: '{"a":"b"}' } },
          { id: 'call_b', type: 'function', function: { name: 'patch', arguments: '{"input":"x\\ny"}' } },
        ],
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: USAGE,
};

const bodies: Readonly<Record<TranslatedApi, object>> = {
  messages: { max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], stop_sequences: ['STOP'] },
  responses: { input: 'Hi', tools: [{ type: 'custom', name: 'patch' }], include: ['reasoning.encrypted_content'] },
};

interface Setting {
  readonly api: TranslatedApi;
  readonly pieces: readonly Uint8Array[];
  readonly type?: string;
  readonly isStream?: boolean;
  readonly status?: number;
  readonly body?: object;
  /** Called with what was read, before the next piece is read. */
  readonly onPull?: (text: string) => void;
}

/** What the client reads of a runtime's answer in these pieces. */
async function translate({
  api,
  pieces,
  type = 'text/event-stream',
  isStream = true,
  status = 200,
  body,
  onPull,
}: Setting): Promise<{ text: string; hasFailed: boolean }> {
  const read: Uint8Array[] = [];
  const source = (async function* (): AsyncGenerator<Uint8Array, undefined> {
    for (const piece of pieces) {
      onPull?.(Buffer.concat(read).toString());
      yield piece;
    }
  })();
  const upstream: UpstreamAnswer = {
    status,
    fields: [['content-type', type]],
    body: Object.assign(source, { return: async () => ({ done: true as const, value: undefined }) }),
    trailers: () => [],
  };
  const request = toChatRequest(api, { ...(body ?? bodies[api]), stream: isStream }, {});
  const relayed = toResponse(upstream, {
    method: 'POST',
    dialect: dialects['chat-completions'],
    estimatePrompt: () => 10,
  });
  let ids = 0;
  const names = {
    id: 'id',
    created: 1,
    model: 'demo',
    newId: () => `n${ids++}`,
    newCallId: () => `c${ids++}`,
    unixSeconds: () => 2,
  };
  const translated = new TranslatedBody({
    source: relayed.body,
    status,
    isStream: isStream && status === 200,
    isEvents: status === 200 && type === 'text/event-stream',
    reader: new ChatAnswerReader({ ...request, promptEstimate: relayed.body.usage.promptTokens }),
    answer: createTranslatedAnswer(request, names),
  });
  for await (const piece of translated) read.push(piece);
  return { text: Buffer.concat(read).toString(), hasFailed: translated.hasFailed };
}

const eventsOf = (text: string): object[] =>
  text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const [name = '', data = ''] = block.split('\n');
      const object = JSON.parse(data.slice('data: '.length)) as { type: string };
      expect(name).toBe(`event: ${object.type}`);
      return object;
    });

/** The answer that a stream adds up to, by readers that hold it to the order of its API. */
const readers: Readonly<Record<TranslatedApi, (text: string) => MessageAnswer | ResponseObject>> = {
  messages: (text) => readMessagesStream(eventsOf(text) as MessagesEvent[]),
  responses: (text) => readResponsesStream(eventsOf(text) as ResponsesEvent[]),
};

const cut = (bytes: Uint8Array, at: readonly number[]): Uint8Array[] => {
  const places = [0, ...at.map((place) => place % bytes.length).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end));
};

describe.each(APIS)('an answer of %s', (api) => {
  it('is the same streamed and whole, whichever of both the runtime sends', async () => {
    const whole = [Buffer.from(JSON.stringify(RICH_WHOLE))];
    const events = [Buffer.from(toSse(RICH))];
    const json = 'application/json';
    const [first, ...others] = [
      JSON.parse((await translate({ api, pieces: whole, type: json, isStream: false })).text) as object,
      JSON.parse((await translate({ api, pieces: events, isStream: false })).text) as object,
      readers[api]((await translate({ api, pieces: whole, type: json })).text),
      readers[api]((await translate({ api, pieces: events })).text),
    ].map(withoutIds);
    for (const other of others) expect(other).toEqual(first);
    expect(JSON.stringify(first)).toContain('Let me think é😀.');
  });

  it('is the same wherever the bytes of the runtime are cut', async () => {
    const bytes = Buffer.from(toSse(RICH));
    const { text } = await translate({ api, pieces: [bytes] });
    const spoken = withoutIds(readers[api](text));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (at) => {
        const again = await translate({ api, pieces: cut(bytes, at) });
        expect(withoutIds(readers[api](again.text))).toEqual(spoken);
      }),
      { numRuns: 60 },
    );
    const single = await translate({ api, pieces: Array.from(bytes, (byte) => Uint8Array.of(byte)) });
    expect(withoutIds(readers[api](single.text))).toEqual(spoken);
  });

  it('that its runtime breaks off, or ends with an error, ends with an error', async () => {
    const broken = await translate({ api, pieces: [Buffer.from(toSse(RICH.slice(0, 5), ''))] });
    const failed = await translate({
      api,
      pieces: [Buffer.from(toSse([...RICH.slice(0, 5), { error: { message: 'no memory', type: 'server_error' } }]))],
    });
    for (const [{ text, hasFailed }, message] of [
      [broken, 'before it was whole'],
      [failed, 'no memory'],
    ] as const) {
      const events = eventsOf(text) as { type: string; error?: { message: string } }[];
      const error = present(
        events.find(({ type }) => type === 'error'),
        'an error is an event of its own',
      );
      expect(error.error?.message).toContain(message);
      expect(hasFailed).toBe(true);
      expect(text).not.toContain('message_stop');
      expect(text).not.toContain('response.completed');
      expect(events.at(-1)?.type).toBe(api === 'messages' ? 'error' : 'response.failed');
    }
    const { text, hasFailed } = await translate({
      api,
      pieces: [Buffer.from('{"error":{"message":"no memory"}}')],
      type: 'application/json',
      isStream: false,
    });
    expect([JSON.parse(text), hasFailed]).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ message: 'no memory' }) as unknown }),
      true,
    ]);
  });

  it('with an event that is larger than the limit ends with an error, and keeps no more of it', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'a');
    let asked = 0;
    const pieces = [
      Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"'),
      ...Array.from({ length: 30 }, () => piece),
    ];
    const { text } = await translate({ api, pieces, onPull: () => void asked++ });
    expect(text).toContain('more at once than the gateway translates');
    expect(asked).toBeLessThan(20);
  });

  it('without an end of its stream, but with one of its choice, is whole', async () => {
    const { text } = await translate({
      api,
      pieces: [Buffer.from(toSse([chunk({ content: 'Hi' }), chunk({}, 'stop')], ''))],
    });
    expect(JSON.stringify(readers[api](text))).toContain('Hi');
  });

  it.each([
    [
      'an object',
      { error: { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded' } },
      'too long',
    ],
    ['a text', { error: 'too long' }, 'too long'],
    ["FastAPI's", { detail: 'too long' }, 'too long'],
    ["vLLM's older", { object: 'error', message: 'too long', type: 'BadRequestError', code: 400 }, 'too long'],
    ['none', { what: 1 }, 'status 400'],
  ])('that is an error, as %s, is one in its own words', async (_, body, message) => {
    const { text } = await translate({
      api,
      pieces: [Buffer.from(JSON.stringify(body))],
      type: 'application/json',
      status: 400,
    });
    const { type, error } = JSON.parse(text) as { type?: string; error: Record<string, unknown> };
    expect(error['message']).toContain(message);
    expect([type, error['type']]).toEqual([api === 'messages' ? 'error' : undefined, 'invalid_request_error']);
  });

  it('has the tokens that its runtime told', async () => {
    const { text } = await translate({ api, pieces: [Buffer.from(toSse(RICH))] });
    const { usage } = readers[api](text);
    expect(usage).toMatchObject(
      api === 'messages'
        ? {
            input_tokens: 7,
            cache_read_input_tokens: 4,
            output_tokens: 7,
            output_tokens_details: { thinking_tokens: 2 },
          }
        : {
            input_tokens: 11,
            input_tokens_details: { cached_tokens: 4 },
            output_tokens: 7,
            output_tokens_details: { reasoning_tokens: 2 },
            total_tokens: 18,
          },
    );
  });

  it('passes each event on before it reads the next', async () => {
    const words = ['one', 'two', 'three'];
    const pieces = words.map((content) => Buffer.from(`data: ${JSON.stringify(chunk({ content }))}\n\n`));
    const heard: string[] = [];
    const end = Buffer.from(toSse([chunk({}, 'stop')]));
    await translate({ api, pieces: [...pieces, end], onPull: (text) => heard.push(text) });
    words.forEach((word, at) => {
      expect(heard[at]).not.toContain(word);
      expect(heard[at + 1]).toContain(word);
    });
  });
});

describe('calls', () => {
  const callsOf = async (objects: readonly object[]): Promise<unknown[]> => {
    const { text } = await translate({ api: 'messages', pieces: [Buffer.from(toSse(objects))] });
    const message = readers.messages(text) as MessageAnswer;
    expect(message.stop_reason).toBe('tool_use');
    return message.content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name, block.input]] : []));
  };
  const f = (args: string): object => ({ name: 'f', arguments: args });

  it.each([
    [
      'each with its index',
      [call(0, { id: 'a', name: 'f', args: '{}' }), call(1, { id: 'b', name: 'g', args: '{"x":1}' })],
    ],
    [
      'all with one index',
      [call(0, { id: 'a', name: 'f', args: '{}' }), call(0, { id: 'b', name: 'g', args: '{"x":1}' })],
    ],
    [
      'without an index',
      [
        chunk({
          tool_calls: [
            { id: 'a', function: f('{}') },
            { id: 'b', function: { name: 'g', arguments: { x: 1 } } },
          ],
        }),
      ],
    ],
    [
      'their names once more in each piece',
      [
        call(0, { id: 'a', name: 'f', args: '{' }),
        call(0, { id: 'a', name: 'f', args: '}' }),
        call(1, { id: 'b', name: 'g', args: '{"x":1}' }),
      ],
    ],
    [
      'with words between',
      [
        call(0, { id: 'a', name: 'f', args: '{' }),
        chunk({ content: '\n' }),
        call(0, { args: '}' }),
        call(1, { id: 'b', name: 'g', args: '{"x":1}' }),
      ],
    ],
    ['without arguments at first', [call(0, { id: 'a', name: 'f' }), call(1, { id: 'b', name: 'g', args: '{"x":1}' })]],
  ])('%s, come one after the other', async (_, objects) => {
    for (const end of ['tool_calls', 'stop']) {
      expect(await callsOf([...objects, chunk({}, end)])).toEqual([
        ['a', 'f', {}],
        ['b', 'g', { x: 1 }],
      ]);
    }
  });

  it('of a custom tool are text, while it comes', async () => {
    const { text } = await translate({ api: 'responses', pieces: [Buffer.from(toSse(RICH))] });
    const { output } = readers.responses(text) as ResponseObject;
    expect(output.at(-1)).toMatchObject({
      type: 'custom_tool_call',
      call_id: 'call_b',
      name: 'patch',
      input: 'x\ny',
      status: 'completed',
    });
    expect(text).toContain('response.custom_tool_call_input.delta');
  });
});

describe('the end of an answer', () => {
  it.each([
    [{ finish_reason: 'stop' }, 'end_turn', null],
    [{ finish_reason: 'stop', stop_reason: 'STOP' }, 'stop_sequence', 'STOP'],
    [{ finish_reason: 'stop', matched_stop: 'STOP' }, 'stop_sequence', 'STOP'],
    [{ finish_reason: 'stop', stop_reason: 151_645 }, 'end_turn', null],
    [{ finish_reason: 'length' }, 'max_tokens', null],
    [{ finish_reason: 'content_filter' }, 'end_turn', null],
  ])('%j is %s', async (choice, reason, stop) => {
    const object = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, ...choice }] };
    const { text } = await translate({
      api: 'messages',
      pieces: [Buffer.from(JSON.stringify(object))],
      type: 'application/json',
      isStream: false,
    });
    expect(JSON.parse(text)).toMatchObject({ stop_reason: reason, stop_sequence: stop });
  });

  it('without thinking, where the client wants none told', async () => {
    const body = { ...bodies.messages, thinking: { type: 'adaptive', display: 'omitted' } };
    const { text } = await translate({ api: 'messages', pieces: [Buffer.from(toSse(RICH))], body });
    expect(text).not.toContain('think é');
  });
});

/** An answer without what its ids and times are. */
function withoutIds(answer: object): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/"(?:msg|fc|rs|ctc|toolu)_n\d+"/g, '"id"'));
}
