// What is refused, of the recorded corpus: fields, bodies, heads.
import type { HttpCase } from './exchange.js';

const CHAT = '/v1/chat/completions';
const TEXT = '/v1/completions';
const HELLO = [{ role: 'user', content: 'Hello.' }];
const good = { model: 'demo', messages: HELLO, max_tokens: 2, temperature: 0 };
const TOOL = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };

/** Values that a field must not have, by field: chat completions. */
const wrong: Readonly<Record<string, readonly unknown[]>> = {
  model: [7, '', 'none', 'x'.repeat(600)],
  messages: [
    undefined,
    [],
    'x',
    {},
    [7],
    [{}],
    [{ role: 'x', content: 'y' }],
    [{ role: 'user' }],
    [{ role: 'user', content: 7 }],
    [{ role: 'user', content: null }],
  ],
  stream: ['yes', 1],
  temperature: [-1, 3, 'hot', [1]],
  top_p: [-0.1, 1.1],
  top_k: [-2, 0.5],
  min_p: [2],
  typical_p: [-1],
  seed: [0.5, 'x'],
  n: [0, 17, 1.5],
  logprobs: ['true', 1],
  top_logprobs: [-1, 21, 3],
  logit_bias: [{ a: 1 }, { '1': 200 }, [[1]], 'x', { '99999999': 1 }],
  frequency_penalty: [3],
  presence_penalty: [-3],
  repetition_penalty: [0],
  min_tokens: [-1, 1e9],
  stop: [7, [7], '', Array.from({ length: 17 }, () => 'x'), 'y'.repeat(1100)],
  stop_token_ids: [[-1], 'x', [99_999_999]],
  max_tokens: [0, -2, 1.5, '5'],
  max_completion_tokens: [0, 'x'],
  stream_options: [7, { include_usage: 'x' }],
  tools: [
    7,
    [7],
    [{ type: 'function' }],
    [{ type: 'function', function: {} }],
    [{ type: 'x', function: { name: 'f' } }],
    [{ type: 'function', function: { name: 'a b' } }],
    [TOOL, TOOL],
  ],
  thinking: [7, { type: 'x' }, { type: 'enabled', budget_tokens: 0 }],
  reasoning_effort: ['x', 7],
  reasoning_format: ['x'],
  chat_template_kwargs: [7, { enable_thinking: 'x' }],
  cache_salt: [7, 'x'.repeat(300)],
  dry_sequence_breakers: [[''], 'x'],
  response_format: [{ type: 'xml' }, { type: 'json_schema' }],
  grammar: ['root ::= ('],
  functions: [[{ name: 'f' }]],
  function_call: ['f'],
  modalities: [['audio']],
  mirostat: [1],
  continue_final_message: [true],
};

const conversations: Readonly<Record<string, object>> = {
  'an image': { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
  audio: { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
  'an unknown part': { messages: [{ role: 'user', content: [{ type: 'x' }] }] },
  'a text part without text': { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
  'a tool that is not there': { tools: [TOOL], tool_choice: { type: 'function', function: { name: 'g' } } },
  'tool_choice without tools': { tool_choice: 'required' },
  'an unknown tool_choice': { tools: [TOOL], tool_choice: 'maybe' },
  'a prompt that is too long': { messages: [{ role: 'user', content: 'word '.repeat(3000) }] },
  'top_logprobs without logprobs': { top_logprobs: 2 },
  'an answer without content': { messages: [...HELLO, { role: 'assistant' }] },
  'a tool message without an id': { messages: [...HELLO, { role: 'tool', content: 'x' }] },
};

const bodies: Readonly<Record<string, string>> = {
  'an empty body': '',
  'no JSON': 'hello',
  'a cut body': '{"model":"demo","messages":[',
  'a trailing comma': '{"model":"demo",}',
  'a number': '7',
  null: 'null',
  'a list': '[]',
  'a key twice': '{"model":"demo","model":"demo"}',
  'too deep': `{"model":"demo","x":${'['.repeat(70)}${']'.repeat(70)}}`,
  'a lone surrogate':
    '{"model":"demo","messages":[{"role":"user","content":"\\ud800"}],"max_tokens":1,"temperature":0}',
  'a number out of range': '{"model":"demo","max_tokens":1e999}',
  'a byte order mark': '\ufeff{"model":"demo"}',
};

const heads: readonly HttpCase[] = [
  { name: 'another Host', path: '/v1/models', headers: [['Host', 'evil.example']] },
  { name: 'an empty Host', path: '/v1/models', headers: [['Host', '']] },
  { name: 'an Origin', path: '/v1/models', headers: [['Origin', 'https://evil.example']] },
  { name: 'a local Origin', path: '/v1/models', headers: [['Origin', 'http://localhost:3000']] },
  {
    name: 'a preflight',
    method: 'OPTIONS',
    path: CHAT,
    headers: [
      ['Origin', 'http://localhost:3000'],
      ['Access-Control-Request-Method', 'POST'],
      ['Access-Control-Request-Headers', 'authorization, content-type'],
    ],
  },
  {
    name: 'a foreign preflight',
    method: 'OPTIONS',
    path: CHAT,
    headers: [
      ['Origin', 'https://evil.example'],
      ['Access-Control-Request-Method', 'POST'],
    ],
  },
  {
    name: 'a content type of a form',
    path: CHAT,
    body: good,
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
  },
  { name: 'text/plain', path: CHAT, body: good, headers: [['Content-Type', 'text/plain']] },
  { name: 'a body that is no gzip', path: CHAT, body: good, headers: [['Content-Encoding', 'gzip']] },
  { name: 'an expectation', path: CHAT, body: good, headers: [['Expect', 'a-miracle']] },
  { name: 'many fields', path: '/v1/models', headers: Array.from({ length: 110 }, (_, i) => [`x-${i}`, 'y'] as const) },
  { name: 'a long field', path: '/v1/models', headers: [['x-long', 'y'.repeat(20_000)]] },
  { name: 'an own request id', path: '/v1/models', headers: [['x-request-id', 'mine']] },
  { name: 'a key', path: '/v1/models', headers: [['Authorization', 'Bearer sk-none']] },
];

/** Everything that is refused, and heads that nearly are. */
export const refusedCases: readonly HttpCase[] = [
  ...Object.entries(wrong).flatMap(([field, values]) =>
    values.map((value, i) => ({ name: `refused: ${field} ${i}`, path: CHAT, body: { ...good, [field]: value } })),
  ),
  ...Object.entries(conversations).map(([name, own]) => ({
    name: `refused: ${name}`,
    path: CHAT,
    body: { ...good, ...own },
  })),
  ...Object.entries(conversations)
    .slice(-4)
    .map(([name, own]) => ({
      name: `refused, streamed: ${name}`,
      path: CHAT,
      body: { ...good, ...own, stream: true },
    })),
  ...Object.entries(bodies).map(([name, body]) => ({ name: `refused: ${name}`, path: CHAT, body })),
  ...Object.entries({
    prompt: [7, [], [[]], null, undefined],
    echo: ['x'],
    best_of: [0, 5],
    logprobs: [-1, 30],
    suffix: ['x'],
    max_tokens: [0, -2],
    n: [0, 20],
  }).flatMap(([field, values]) =>
    values.map((value, i) => ({
      name: `refused text: ${field} ${i}`,
      path: TEXT,
      body: { model: 'demo', prompt: 'x', max_tokens: 1, temperature: 0, [field]: value },
    })),
  ),
  ...heads.map((own) => ({ ...own, name: `head: ${own.name}` })),
];
