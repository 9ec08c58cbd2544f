// The requests of Codex and Claude Code as they are sent, over twelve turns, whole and streamed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageAnswer, ResponseObject } from '../../src/api/index.js';
import { createBodyDecoder } from '../../src/http/bodies/decode-body.js';
import { startServing, type Serving } from './serving.js';

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

/** The name of a tool of an MCP server, of 78 characters. */
const LONG = 'mcp__8b383b1d-b46a-4b70-994c-c7c26b866287__check_domain_availability_and_price';
const RULES = `You are an agent. ${'Follow these rules. '.repeat(2)}`;

const item = (role: string, text: string): object => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
const shell = {
  type: 'function',
  name: 'shell',
  strict: false,
  parameters: {
    type: 'object',
    properties: { command: { type: 'string' } },
  },
};
const patch = {
  type: 'custom',
  name: 'apply_patch',
  format: { type: 'grammar', syntax: 'lark', definition: 's: /.+/' },
};
const codexTools: readonly object[] = [
  shell,
  patch,
  { type: 'web_search', external_web_access: false },
  { type: 'local_shell' },
  {
    type: 'namespace',
    name: 'mcp__files',
    description: 'Files.',
    tools: [
      { type: 'function', name: 'read' },
      { type: 'function', name: 'shell' },
    ],
  },
  { type: 'function', name: LONG, strict: false },
];
/** What stands between a question and its answer, by turns: calls of each kind, and items that are not served. */
const calls: readonly (readonly object[])[] = [
  [
    { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'I add.' }], encrypted_content: 'x' },
    { type: 'function_call', call_id: 'a', name: 'shell', arguments: '{"command": "ls"}', status: 'completed' },
    { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', query: 'q' } },
    { type: 'function_call_output', call_id: 'a', output: '42' },
  ],
  [
    { type: 'custom_tool_call', call_id: 'b', name: 'apply_patch', input: 'add', status: 'completed' },
    { type: 'custom_tool_call_output', call_id: 'b', output: 'ok' },
  ],
  [
    { type: 'local_shell_call', call_id: 'c', status: 'completed', action: { type: 'exec', command: ['ls'], env: {} } },
    { type: 'local_shell_call_output', id: 'c', output: '{"exit": 0}' },
  ],
  [
    { type: 'function_call', call_id: 'd', name: 'read', namespace: 'mcp__files', arguments: '{}' },
    { type: 'function_call_output', call_id: 'd', output: [{ type: 'input_text', text: 'text' }] },
  ],
];
const codexTurn = (turn: number): object[] => [
  item('user', `${turn}`),
  ...(calls[turn % calls.length] ?? []),
  item('assistant', 'Done.'),
];
const codex = (turns: number): Record<string, unknown> => ({
  model: 'demo',
  instructions: RULES,
  store: false,
  include: ['reasoning.encrypted_content'],
  parallel_tool_calls: false,
  prompt_cache_key: '0199',
  client_metadata: { originator: 'codex_cli_rs' },
  reasoning: { effort: 'medium', summary: 'auto' },
  text: { verbosity: 'medium' },
  tool_choice: 'auto',
  temperature: 0,
  max_output_tokens: 16,
  tools: codexTools,
  drop_unsupported: true,
  input: [
    {
      type: 'additional_tools',
      role: 'developer',
      tools: [
        { ...shell, name: 'later' },
        { type: 'mcp', server_label: 'x' },
      ],
    },
    item('developer', '<permissions>'),
    item('user', '<env>'),
    ...Array.from({ length: turns }, (_, turn) => codexTurn(turn)).flat(),
    item('user', 'What is the capital of Norway?'),
  ],
});

/** The objects of a stream whose events have names. */
async function readNamed(response: Response): Promise<unknown[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as unknown);
}

/** A zstd frame of raw blocks, which every decoder reads. */
function zstdFrame(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const pieces: Uint8Array[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58])];
  for (let at = 0; at < bytes.length; at += 65_536) {
    const block = bytes.subarray(at, at + 65_536);
    const header = (block.length << 3) | (at + 65_536 >= bytes.length ? 1 : 0);
    pieces.push(Buffer.from([header & 255, (header >> 8) & 255, header >> 16]), block);
  }
  return Buffer.from(new Uint8Array(Buffer.concat(pieces)));
}

const IGNORED = ['web_search_call', 'local_shell_call', 'local_shell_call_output'];

describe('what Codex sends', () => {
  it.each([0, 1, 12])('is answered after %s turns, compressed, streamed as whole', async (turns) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' };
    const post = (body: object): Promise<Response> =>
      serving.post('/v1/responses', zstdFrame(Buffer.from(JSON.stringify(body))), { headers });
    const whole = await post(codex(turns));
    const answer = (await whole.json()) as ResponseObject;
    expect([whole.status, answer.error]).toEqual([200, null]);
    expect(whole.headers.get('x-troupe-ignored')).toBe(
      ['web_search', 'local_shell', 'mcp', ...IGNORED.slice(0, Math.min(turns, 3))].join(', '),
    );
    expect(whole.headers.get('x-troupe-unknown-fields')).toBe(null);
    expect(serving.log.at(-1)).toMatchObject({
      ignored: expect.arrayContaining(['web_search', 'local_shell']) as object,
    });
    const streamed = await post({ ...codex(turns), stream: true });
    expect(streamed.headers.get('x-troupe-ignored')).toBe(whole.headers.get('x-troupe-ignored'));
    const events = (await readNamed(streamed)) as { type: string; response: ResponseObject }[];
    const last = events.at(-1);
    expect(last?.type).toMatch(/^response\.(completed|incomplete)$/);
    const textsOf = ({ output }: ResponseObject): unknown[] =>
      output.map((one) => (one.type === 'message' ? one.content.map(({ text }) => text) : one.type));
    expect(last && textsOf(last.response)).toEqual(textsOf(answer));
  });

  it('is read alike where Node has no zstd', async () => {
    const body = Buffer.from(JSON.stringify(codex(12)));
    await using decoder = createBodyDecoder({ zstd: 'wasm' });
    expect(await decoder.decode(zstdFrame(body), 'zstd', 1 << 25)).toEqual(new Uint8Array(body));
  });

  it('shows in the tools that are served', async () => {
    const { tools } = (await (await serving.post('/v1/responses', codex(0))).json()) as ResponseObject;
    expect(tools.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'function shell',
      'custom apply_patch',
      'function read',
      'function shell',
      `function ${LONG}`,
    ]);
  });
});

describe('what Claude Code sends', () => {
  const tools = [
    {
      name: 'Bash',
      description: 'Runs.',
      input_schema: { type: 'object', properties: { command: { type: 'string' } } },
    },
    { name: LONG, description: 'd', input_schema: { type: 'object', properties: { a: { type: 'boolean' } } } },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
  ];
  const turns: readonly (readonly object[])[] = [
    [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't', content: 'a file', is_error: false },
          { type: 'text', text: '<system-reminder>' },
        ],
      },
    ],
    [
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 's',
            content: { type: 'web_search_tool_result_error', error_code: 'x' },
          },
          { type: 'text', text: 'Found.' },
        ],
      },
      { role: 'system', content: '<reminder>' },
    ],
  ];
  const turn = (index: number): object[] => [
    { role: 'user', content: [{ type: 'text', text: `${index}`, cache_control: { type: 'ephemeral' } }] },
    ...(turns[index % turns.length] ?? []),
    { role: 'assistant', content: 'Done.' },
  ];
  const claude = (count: number, mark = 'fa690'): Record<string, unknown> => ({
    model: 'demo',
    max_tokens: 24,
    temperature: 0,
    metadata: { user_id: 'u' },
    drop_unsupported: true,
    system: [
      { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1.37.0d9; cc_entrypoint=cli; cch=${mark};` },
      { type: 'text', text: RULES, cache_control: { type: 'ephemeral' } },
    ],
    tools: count < 12 ? [...tools, { type: 'bash_20250124', name: 'bash' }] : tools,
    messages: [
      ...Array.from({ length: count }, (_, index) => turn(index)).flat(),
      { role: 'user', content: 'What is the capital of Norway?' },
    ],
  });

  it.each([0, 1, 12])('is answered after %s turns, streamed as whole', async (count) => {
    const whole = await serving.post('/v1/messages?beta=true', claude(count));
    const answer = (await whole.json()) as MessageAnswer;
    expect([whole.status, answer.type]).toEqual([200, 'message']);
    const ignored = (whole.headers.get('x-troupe-ignored') ?? '').split(', ');
    expect(ignored.slice(0, 2)).toEqual(['web_search_20250305', 'x-anthropic-billing-header']);
    if (count > 1) expect(ignored.slice(2)).toEqual(['server_tool_use', 'web_search_tool_result']);
    expect(whole.headers.get('x-troupe-unknown-fields')).toBe(null);
    const streamed = await serving.post('/v1/messages?beta=true', { ...claude(count), stream: true });
    const deltas = (await readNamed(streamed)) as { delta?: { text?: string } }[];
    const text = deltas.map(({ delta }) => delta?.text ?? '').join('');
    expect(text).toBe(answer.content.map((block) => (block.type === 'text' ? block.text : '')).join(''));
    const { max_tokens: _, temperature: __, ...counted } = claude(count);
    const told = (await (await serving.post('/v1/messages/count_tokens', counted)).json()) as { input_tokens: number };
    expect(told.input_tokens).toBe(answer.usage.input_tokens + (answer.usage.cache_read_input_tokens ?? 0));
  });

  it('finds its conversation in the cache, whatever its first line says', async () => {
    const ask = async (mark: string): Promise<number> => {
      const response = await serving.post('/v1/messages', claude(2, mark));
      return ((await response.json()) as MessageAnswer).usage.cache_read_input_tokens ?? 0;
    };
    await ask('aaaaa');
    const same = await ask('aaaaa');
    expect([same > 100, await ask('bbbbb'), await ask('ccccc')]).toEqual([true, same, same]);
  });
});

describe('the line that changes with each request', () => {
  const LINE = (mark: string): string => `x-anthropic-billing-header: cc_version=2.1; cch=${mark};`;
  const user = { role: 'user', content: 'What is the capital of Norway?' };
  const bodies: Readonly<Record<string, readonly [path: string, body: (mark: string) => object]>> = {
    'the first line of a system text': [
      '/v1/messages',
      (mark) => ({ system: `${LINE(mark)}\n${RULES}`, messages: [user] }),
    ],
    'the first line of a block': [
      '/v1/messages',
      (mark) => ({ system: [{ type: 'text', text: `${LINE(mark)}\n\n${RULES}` }], messages: [user] }),
    ],
    'a system message': [
      '/v1/chat/completions',
      (mark) => ({ messages: [{ role: 'system', content: `${LINE(mark)}\n${RULES}` }, user] }),
    ],
    'a system message of its own': [
      '/v1/chat/completions',
      (mark) => ({ messages: [{ role: 'system', content: LINE(mark) }, { role: 'system', content: RULES }, user] }),
    ],
    'a part of one': [
      '/v1/chat/completions',
      (mark) => ({
        messages: [{ role: 'system', content: [LINE(mark), RULES].map((text) => ({ type: 'text', text })) }, user],
      }),
    ],
    instructions: [
      '/v1/responses',
      (mark) => ({ instructions: `${LINE(mark)}\n${RULES}`, input: 'What is the capital of Norway?' }),
    ],
    'a system message of Ollama': [
      '/api/chat',
      (mark) => ({ stream: false, messages: [{ role: 'system', content: `${LINE(mark)}\n${RULES}` }, user] }),
    ],
  };
  const PLAIN = { messages: [{ role: 'system', content: RULES }, user] };

  it.each(Object.entries(bodies))('is no part of the prompt: %s', async (_, [path, body]) => {
    const ask = async (mark: string): Promise<{ read: number; text: string; ignored: string | null }> => {
      const more = { model: 'demo', temperature: 0, options: { temperature: 0 }, max_tokens: 8, max_output_tokens: 8 };
      const response = await serving.post(path, { ...more, ...body(mark) });
      const json = (await response.json()) as {
        usage?: { input_tokens?: number; prompt_tokens?: number; cache_read_input_tokens?: number };
        prompt_eval_count?: number;
      };
      const { usage = {} } = json;
      const read =
        (usage.prompt_tokens ?? usage.input_tokens ?? json.prompt_eval_count ?? 0) +
        (usage.cache_read_input_tokens ?? 0);
      return { read, text: JSON.stringify(json), ignored: response.headers.get('x-troupe-ignored') };
    };
    const plain = await serving.post('/v1/chat/completions', { model: 'demo', max_tokens: 1, ...PLAIN });
    const { usage } = (await plain.json()) as { usage: { prompt_tokens: number } };
    const asked = await ask('12345');
    expect([asked.read, asked.ignored]).toEqual([usage.prompt_tokens, 'x-anthropic-billing-header']);
  });
});

describe('a field that is misspelt', () => {
  const messages = [{ role: 'user', content: 'hi' }];
  const ask = (path: string, body: object): Promise<Response> =>
    serving.post(path, { model: 'demo', max_tokens: 1, messages, ...body });

  it.each([
    ['/v1/chat/completions', { temprature: 0 }, 'temprature (did you mean temperature?)'],
    ['/v1/chat/completions', { max_token: 3, max_tokens: undefined }, 'max_token (did you mean max_tokens?)'],
    [
      '/v1/chat/completions',
      { stream_options: { include_usge: true } },
      'stream_options.include_usge (did you mean include_usage?)',
    ],
    [
      '/v1/chat/completions',
      { tools: [{ type: 'function', function: { name: 'f', paramters: {} } }], drop_unsupported: true },
      'tools[0].function.paramters (did you mean parameters?)',
    ],
    ['/v1/messages', { stop_sequence: ['x'] }, 'stop_sequence (did you mean stop_sequences?)'],
    ['/api/chat', { stream: false, formt: 'json' }, 'formt (did you mean format?)'],
  ])('is named in a header and the log: %s %j', async (path, body, told) => {
    const response = await ask(path, body);
    expect([response.status, response.headers.get('x-troupe-unknown-fields')]).toEqual([200, told]);
    expect(serving.log.at(-1)).toMatchObject({ unknown_fields: [told.split(' ')[0]] });
  });

  it('is distinguished from one of another server, and never brings more than names into a header', async () => {
    const others = { store: true, provider: {}, chat_id: 'x', zzz: 1, 'a\r\nb': 1, 'temperatur\u0001e': 1 };
    expect((await ask('/v1/chat/completions', others)).headers.get('x-troupe-unknown-fields')).toBe(null);
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`temperatur${at % 10}${at}`, 1]));
    const response = await ask('/v1/chat/completions', many);
    expect([response.status, (response.headers.get('x-troupe-unknown-fields') ?? '').length < 1_024]).toEqual([
      200,
      true,
    ]);
  });
});
