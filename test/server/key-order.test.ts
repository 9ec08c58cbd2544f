// Answers have the names of a schema in the order of its text, also those that JavaScript moves to the front.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServing, type Serving } from './serving.js';

const NAMES = ['10', '2', '__proto__', 'b', '1'];
const PROPERTIES = NAMES.map((name) => `"${name}":{"enum":[{"7":0,"3":0}]}`).join(',');
const SCHEMA = `{"type":"object","properties":{${PROPERTIES}},"required":${JSON.stringify(NAMES)},"additionalProperties":false}`;
/** Names of the answer, with those of its inner objects. */
const ORDER = NAMES.flatMap((name) => [name, '7', '3']);
const TURN = '[{"role":"user","content":"What is the capital of Norway?"}]';
const CHAT = '/v1/chat/completions';

/** Bodies without their first members, and where the text of the answer is. */
const FORMATS: readonly (readonly [what: string, path: string, body: string])[] = [
  ['response_format', CHAT, `"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":${SCHEMA}}}`],
  ["llama.cpp's response_format", CHAT, `"response_format":{"type":"json_object","schema":${SCHEMA}}`],
  ['json_schema', CHAT, `"json_schema":${SCHEMA}`],
  ['guided_json', CHAT, `"guided_json":${SCHEMA}`],
  ['guided_json as text', CHAT, `"guided_json":${JSON.stringify(SCHEMA)}`],
  ['structured_outputs', CHAT, `"structured_outputs":{"json":${SCHEMA}}`],
  ['text.format', '/v1/responses', `"text":{"format":{"type":"json_schema","name":"x","schema":${SCHEMA}}}`],
  ['output_config', '/v1/messages', `"output_config":{"format":{"type":"json_schema","schema":${SCHEMA}}}`],
  ["Ollama's format", '/api/chat', `"format":${SCHEMA}`],
  ["Ollama's format", '/api/generate', `"format":${SCHEMA}`],
];

const ONE_CALL = '"tool_choice":"required","parallel_tool_calls":false';
const TOOLS: readonly (readonly [path: string, body: string])[] = [
  [CHAT, `"tools":[{"type":"function","function":{"name":"f","parameters":${SCHEMA}}}],${ONE_CALL}`],
  ['/v1/responses', `"tools":[{"type":"function","name":"f","parameters":${SCHEMA}}],${ONE_CALL}`],
  [
    '/v1/messages',
    `"tools":[{"name":"f","input_schema":${SCHEMA}}],"tool_choice":{"type":"any","disable_parallel_tool_use":true}`,
  ],
];

/** A whole body. */
function bodyOf(path: string, more: string, stream: boolean): string {
  const asked =
    path === '/v1/responses' ? '"input":"Hi"' : path === '/api/generate' ? '"prompt":"Hi"' : `"messages":${TURN}`;
  const limit = path === '/v1/responses' ? '"max_output_tokens":400' : '"max_tokens":400';
  const sampling = path.startsWith('/api')
    ? '"options":{"temperature":0,"num_predict":400}'
    : `"temperature":0,${limit}`;
  return `{"model":"demo","stream":${stream},${asked},${sampling},${more}}`;
}

/** The pieces of the answer or of a call's arguments, joined: texts of these names, wherever an event has them. */
function textOf(events: readonly string[], path: string): string {
  const pieces: string[] = [];
  const walk = (value: unknown, key: string, type: unknown): void => {
    if (typeof value === 'string') {
      const isDelta = !String(type).endsWith('.delta') || key === 'delta';
      if (isDelta && ['content', 'text', 'delta', 'response', 'arguments', 'partial_json'].includes(key))
        pieces.push(value);
    } else if (typeof value === 'object' && value !== null) {
      const own: unknown = Reflect.get(value, 'type') ?? type;
      for (const [name, item] of Object.entries(value)) walk(item, name, own);
    }
  };
  for (const event of events) {
    const value = JSON.parse(event) as { type?: string };
    // Later events of Responses tell the whole once more.
    const isAgain = path === '/v1/responses' && value.type !== undefined && !value.type.endsWith('.delta');
    if (!isAgain || events.length === 1) walk(value, '', value.type);
  }
  return pieces.join('');
}

const namesIn = (text: string): string[] => Array.from(text.matchAll(/"([^"]+)"\s*:/g), ([, name]) => name ?? '');

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

describe.each([false, true])('streamed: %s', (stream) => {
  const ask = async (path: string, more: string, padding = ''): Promise<string> => {
    const answer = await serving.post(path, bodyOf(path, more, stream) + padding);
    const text = await answer.text();
    expect([answer.status, /"error":\s*[^n\s]/.test(text) ? text : '']).toEqual([200, '']);
    return text;
  };
  /** The JSON of each event, or the one of a whole answer. */
  const eventsOf = (text: string): string[] =>
    text
      .split('\n')
      .map((line) => line.replace(/^data: /, ''))
      .filter((line) => line.startsWith('{'));

  it.each(FORMATS)('%s of %s', async (_, path, more) => {
    const text = await ask(path, more);
    expect(namesIn(textOf(eventsOf(text), path))).toEqual(ORDER);
  });

  it('in a body that is read on a thread', async () => {
    const [, path, more] = FORMATS[0] ?? ['', '', ''];
    const text = await ask(path, more, ' '.repeat(200_000));
    expect(namesIn(textOf(eventsOf(text), path))).toEqual(ORDER);
  });

  it.each(TOOLS)('arguments of calls of %s', async (path, more) => {
    const text = await ask(path, more);
    // The input of a whole answer of Messages is an object: its names are those of the text.
    const isObject = path === '/v1/messages' && !stream;
    const names = isObject ? namesIn(text.slice(text.indexOf('"input":') + 8)).slice(0, ORDER.length) : undefined;
    expect(names ?? namesIn(textOf(eventsOf(text), path))).toEqual(ORDER);
  });
});

describe('the name __proto__', () => {
  const schema = '{"type":"object","properties":{"a":{"enum":[{"b":[1]}]}},"required":["a"]}';
  const kwargs = '"chat_template_kwargs":{"x":{"y":1}}';
  const BODIES: readonly (readonly [path: string, body: string])[] = [
    [
      CHAT,
      `{"model":"demo","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"}],"tools":[{"type":"function","function":{"name":"f","parameters":${schema},"strict":true}}],${kwargs},"metadata":{"a":"b"},"stream_options":{}}`,
    ],
    [
      CHAT,
      `{"model":"demo","max_tokens":1,"messages":${TURN},"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}}`,
    ],
    [
      '/v1/responses',
      `{"model":"demo","max_output_tokens":1,"input":[{"role":"user","content":[{"type":"input_text","text":"x"}]}],"tools":[{"type":"function","name":"f","parameters":${schema}}],"tool_choice":{"type":"function","name":"f"},"reasoning":{"effort":"low"},"metadata":{"a":"b"}}`,
    ],
    [
      '/v1/messages',
      `{"model":"demo","max_tokens":1,"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"b":{}}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}],"tools":[{"name":"f","input_schema":${schema}}],"tool_choice":{"type":"tool","name":"f"},${kwargs}}`,
    ],
    [
      '/api/chat',
      `{"model":"demo","stream":false,"options":{"num_predict":1},"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"a":{}}}}]},{"role":"tool","content":"1"}],"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]}`,
    ],
    ['/api/generate', `{"model":"demo","stream":false,"prompt":"x","options":{"num_predict":1},"format":${schema}}`],
  ];

  it.each(BODIES)('may be in any object of a body of %s', async (path, body) => {
    const places = Array.from(body.matchAll(/\{(?!\}")/g), ({ index }) => index + 1);
    for (const at of [0, ...places]) {
      const rest = body.slice(at);
      const member = at === 0 ? '' : `"__proto__":{"enum":[{"a":1}]}${rest.startsWith('}') ? '' : ','}`;
      const answer = await serving.post(path, body.slice(0, at) + member + rest);
      const text = await answer.text();
      // Values of metadata are texts.
      const isChecked = answer.status === 400 && /metadata/.test(text);
      expect([body.slice(0, at), isChecked || answer.status === 200 ? '' : text]).toEqual([body.slice(0, at), '']);
    }
    expect(Reflect.get({}, 'enum')).toBeUndefined();
  });
});
