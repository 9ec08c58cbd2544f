// Agents by Messages and Responses before runtimes that have only chat completions, and before others that lack an API.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claudeBody, codexBody, LONG_NAME } from './agent-bodies.js';
import { fieldOf, lastOf, openEvents, startRuntime, whole, type Play, type TestRuntime } from './runtime.js';
import { makeKey, modelOf, runtimeAt, startGateway, type StartedGateway } from './start-gateway.js';
import { type FileParts, SOON } from '../../support/start-product.js';

const key = makeKey('vk_a', { limits: { budget: { tokens: 10 ** 9, window: 'total' } } });
const USAGE = {
  prompt_tokens: 1_000,
  completion_tokens: 21,
  total_tokens: 1_021,
  prompt_tokens_details: { cached_tokens: 900 },
  completion_tokens_details: { reasoning_tokens: 5 },
};
const CALLS = [
  { id: 'call_1', type: 'function', function: { name: LONG_NAME, arguments: '{"command":["ls"]}' } },
  { id: 'call_2', type: 'function', function: { name: 'apply_patch', arguments: '{"input":"*** Begin\\nPatch"}' } },
];

/** vLLM as it was before it had the other APIs: chat completions with thinking and two calls. */
const chatOnly: Play = ({ target, body }, socket) => {
  if (target !== '/v1/chat/completions') return void socket.write(whole('{"detail":"Not Found"}', 404));
  const asked = JSON.parse(body) as { stream?: boolean; stream_options?: { include_usage: boolean } };
  const message = { role: 'assistant', reasoning_content: 'Let me see.', content: 'I look.', tool_calls: CALLS };
  if (asked.stream !== true) {
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
    return void socket.write(whole(JSON.stringify({ id: 'c', choices, usage: USAGE })));
  }
  const events = openEvents(socket);
  const write = (delta: object, finish: string | null = null): void =>
    events.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  write({ role: 'assistant', content: '' });
  for (const word of ['Let me', ' see.']) write({ reasoning_content: word });
  for (const word of ['I', ' look.']) write({ content: word });
  CALLS.forEach((call, index) => {
    const { name, arguments: args } = call.function;
    write({ tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of [args.slice(0, 9), args.slice(9)])
      write({ tool_calls: [{ index, function: { arguments: piece } }] });
  });
  write({}, 'tool_calls');
  if (asked.stream_options?.include_usage === true)
    events.write(`data: ${JSON.stringify({ id: 'c', choices: [], usage: USAGE })}\n\n`);
  events.end();
};

describe('a runtime that has only chat completions', () => {
  let runtime: TestRuntime;
  let gateway: StartedGateway;
  beforeAll(async () => {
    runtime = await startRuntime(chatOnly);
    gateway = await startGateway({ runtimes: [runtimeAt(runtime.url, { kind: 'vllm' })], virtual_keys: [key.entry] });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await runtime[Symbol.asyncDispose]();
  });

  const clients = () => ({
    openai: new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.secret, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: gateway.url, apiKey: key.secret, maxRetries: 0 }),
  });

  /** The tokens that the gateway has written for the last request. */
  const charged = async (count: number): Promise<unknown> => {
    await expect.poll(() => gateway.meter.requests({ limit: 100, keyId: 'vk_a' }).length, SOON).toBe(count);
    const [row] = gateway.meter.requests({ limit: 1, keyId: 'vk_a' });
    return row;
  };
  const TOLD = {
    promptTokens: 1_000,
    completionTokens: 21,
    cachedTokens: 900,
    reasoningTokens: 5,
    isEstimated: false,
    status: 200,
  };

  it('serves Claude Code: 12 turns with thinking, calls in parallel and an image, whole and streamed', async () => {
    const before = gateway.meter.requests({ limit: 100, keyId: 'vk_a' }).length;
    const { anthropic } = clients();
    const body = { model: 'demo', ...claudeBody() } as unknown as Anthropic.MessageCreateParamsNonStreaming;
    const { data, response } = await anthropic.messages.create(body, { timeout: 60_000 }).withResponse();
    const streamed = await anthropic.messages.stream(body).finalMessage();
    for (const message of [data, streamed]) {
      expect(message.content.map((block) => ({ ...block, id: undefined }))).toMatchObject([
        { type: 'thinking', thinking: 'Let me see.' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', name: LONG_NAME, input: { command: ['ls'] } },
        { type: 'tool_use', name: 'apply_patch' },
      ]);
      expect(message).toMatchObject({ model: 'demo', role: 'assistant', stop_reason: 'tool_use', stop_sequence: null });
      expect(message.usage).toMatchObject({ input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 21 });
    }
    expect(response.headers.get('x-troupe-translated')).toBe('chat-completions');
    expect(response.headers.get('x-troupe-ignored')).toBe('web_search_20250305, context_management');
    expect(await charged(before + 2)).toMatchObject(TOLD);
    const sent = JSON.parse(lastOf(runtime).body) as {
      model: string;
      messages: object[];
      tools: object[];
      cache_salt?: string;
    };
    expect([sent.model, sent.messages.length, sent.tools.length]).toEqual(['up', 2 + 12 * 4, 2]);
    expect(sent).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(sent.cache_salt).toEqual(expect.any(String));
    expect(fieldOf(lastOf(runtime), 'authorization')).toBeUndefined();
    expect(gateway.lines.at(-1)).toMatchObject({ translated: true, ignored: 'web_search_20250305,context_management' });
    expect(JSON.stringify(gateway.lines)).not.toContain('Claude');
  });

  it('serves Codex: 12 turns with custom tools and all its kinds of tools, whole and streamed', async () => {
    const before = gateway.meter.requests({ limit: 100, keyId: 'vk_a' }).length;
    const { openai } = clients();
    const body = { model: 'demo', ...codexBody() } as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming;
    const { data, response } = await openai.responses.create(body).withResponse();
    const streamed = await openai.responses.stream({ ...body, stream: true } as never).finalResponse();
    for (const answer of [data, streamed]) {
      expect(answer.output).toMatchObject([
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'Let me see.' }],
          encrypted_content: expect.any(String) as string,
        },
        { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'call_1', name: LONG_NAME, arguments: '{"command":["ls"]}' },
        { type: 'custom_tool_call', call_id: 'call_2', name: 'apply_patch', input: '*** Begin\nPatch' },
      ]);
      expect(answer).toMatchObject({ status: 'completed', model: 'demo', error: null });
      expect(answer.usage).toMatchObject({ input_tokens: 1_000, output_tokens: 21, total_tokens: 1_021 });
    }
    expect(response.headers.get('x-troupe-ignored')).toBe('web_search, local_shell, web_search_call');
    expect(await charged(before + 2)).toMatchObject(TOLD);
  });

  it('is asked for an API that it lacks once only', () => {
    const paths = runtime.asked.map(({ target }) => target);
    expect(paths.filter((path) => path.startsWith('/v1/messages'))).toHaveLength(1);
    expect(paths.filter((path) => path === '/v1/responses')).toHaveLength(1);
  });

  it('gets no request that refers to answers that are kept', async () => {
    const { openai } = clients();
    const asked = runtime.asked.length;
    const failed = openai.responses.create({ model: 'demo', input: 'Hi', previous_response_id: 'resp_1' });
    await expect(failed).rejects.toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
      param: 'previous_response_id',
    });
    expect(runtime.asked.length).toBe(asked);
  });
});

describe('an API that a target lacks', () => {
  const open: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).toReversed()) await one[Symbol.asyncDispose]();
  });

  const start = async (
    plays: readonly Play[],
    parts: FileParts = {},
    ofRuntimes: FileParts = {},
  ): Promise<{ gateway: StartedGateway; runtimes: TestRuntime[] }> => {
    const runtimes = await Promise.all(plays.map((play) => startRuntime(play)));
    const gateway = await startGateway({
      runtimes: runtimes.map(({ url }, i) => runtimeAt(url, { id: `r${i}`, ...ofRuntimes })),
      models: [modelOf({ targets: runtimes.map((_, i) => ({ runtime: `r${i}`, model: 'up', order: i })) })],
      virtual_keys: [key.entry],
      ...parts,
    });
    open.push(...runtimes, gateway);
    return { gateway, runtimes };
  };
  const ask = async (
    { url }: StartedGateway,
    path: string,
    body: object = {},
  ): Promise<{ status: number; text: string; headers: Headers }> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { ...key.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'demo',
        max_tokens: 5,
        messages: [{ role: 'user', content: 'Hi' }],
        input: 'Hi',
        ...body,
      }),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const says =
    (status: number, body: string): Play =>
    (_, socket) =>
      void socket.write(whole(body, status));
  const MESSAGE = '{"id":"m","type":"message","content":[],"usage":{"input_tokens":1,"output_tokens":1}}';

  it.each([
    [404, '{"detail":"Not Found"}'],
    [404, '404 page not found'],
    [404, '{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}'],
    [
      404,
      '{"error":{"message":"Invalid URL (POST /v1/messages)","type":"invalid_request_error","param":null,"code":null}}',
    ],
    [404, ''],
    [405, '{"detail":"Method Not Allowed"}'],
    [501, '{"error":{"message":"not implemented"}}'],
  ])('by a status %i that says %s goes to the next target, and is remembered', async (status, body) => {
    const { gateway, runtimes } = await start([says(status, body), says(200, MESSAGE)], { translate: false });
    for (let i = 0; i < 3; i++) expect((await ask(gateway, '/v1/messages')).status).toBe(200);
    expect(runtimes.map(({ asked }) => asked.length)).toEqual([1, 3]);
  });

  it.each([
    [
      'a model',
      '{"error":{"message":"The model `up` does not exist.","type":"NotFoundError","param":null,"code":404}}',
    ],
    [
      'a model, by its code',
      '{"error":{"message":"not there","type":"invalid_request_error","param":"model","code":"model_not_found"}}',
    ],
    [
      "a model, in Ollama's words",
      `{"type":"error","error":{"type":"not_found_error","message":"model 'up' not found"}}`,
    ],
  ])('is none where a 404 names %s: that answer passes as it is', async (_, body) => {
    const { gateway, runtimes } = await start([says(404, body), says(200, MESSAGE)]);
    for (let i = 0; i < 2; i++) expect(await ask(gateway, '/v1/messages')).toMatchObject({ status: 404, text: body });
    expect(runtimes[1]?.asked).toEqual([]);
  });

  it('by all targets is one error that names the runtime and the path and says what to do', async () => {
    const lacking = says(404, '{"detail":"Not Found"}');
    const { gateway } = await start([lacking, lacking], {}, { translate: false });
    const { status, text, headers } = await ask(gateway, '/v1/messages');
    expect(status).toBe(501);
    expect(headers.get('x-should-retry')).toBe('false');
    expect(JSON.parse(text)).toEqual({
      type: 'error',
      error: {
        type: 'api_error',
        code: 'upstream_api_missing',
        message:
          'the upstream r1 has no /v1/messages: it answered with status 404; send chat completions, or set translate to true in gateway.yaml',
      },
    });
    const embeddings = await ask(gateway, '/v1/embeddings');
    expect(embeddings.text).toContain(
      'the upstream r1 has no /v1/embeddings: it answered with status 404; ask for a model of a runtime that has it',
    );
  });

  it('is asked for again once its runtime is another in the file', async () => {
    const { gateway, runtimes } = await start([says(404, 'Not Found')], { translate: false });
    for (let i = 0; i < 2; i++) expect((await ask(gateway, '/v1/messages')).status).toBe(501);
    expect(runtimes[0]?.asked).toHaveLength(1);
    await gateway.rewrite({ runtimes: [runtimeAt(runtimes[0]?.url ?? '', { id: 'r0', metering: 'observe' })] });
    await ask(gateway, '/v1/messages');
    expect(runtimes[0]?.asked).toHaveLength(2);
  });

  it('is not translated where the file says so, of all runtimes or of one', async () => {
    for (const [file, ofRuntimes] of [
      [{ translate: false }, {}],
      [{}, { translate: false }],
    ] as const) {
      const { gateway, runtimes } = await start([chatOnly], file, ofRuntimes);
      expect((await ask(gateway, '/v1/responses')).status).toBe(501);
      expect(runtimes[0]?.asked.map(({ target }) => target)).toEqual(['/v1/responses']);
    }
  });

  it('an error of the runtime has the form of the API of the client, with its status', async () => {
    const refusing: Play = ({ target }, socket) =>
      void socket.write(
        target === '/v1/chat/completions'
          ? whole(
              '{"error":{"message":"This model\'s maximum context length is 8","type":"BadRequestError","code":400}}',
              400,
              ['Retry-After: 7'],
            )
          : whole('Not Found', 404),
      );
    const { gateway } = await start([refusing]);
    const messages = await ask(gateway, '/v1/messages', { stream: true });
    expect([messages.status, JSON.parse(messages.text)]).toEqual([
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: "This model's maximum context length is 8", code: null },
      },
    ]);
    expect(messages.headers.get('retry-after')).toBe('7');
    const responses = await ask(gateway, '/v1/responses');
    expect([responses.status, JSON.parse(responses.text)]).toEqual([
      400,
      {
        error: {
          message: "This model's maximum context length is 8",
          type: 'BadRequestError',
          param: null,
          code: null,
        },
      },
    ]);
  });

  it('a translated stream that a budget ends has a last event that says so', async () => {
    const endless: Play = ({ target }, socket) => {
      if (target !== '/v1/chat/completions') return void socket.write(whole('Not Found', 404));
      const events = openEvents(socket);
      for (let i = 0; i < 400; i++) events.token();
      events.end();
    };
    const poor = makeKey('vk_p', { limits: { budget: { tokens: 60, window: 'total' } } });
    const { gateway } = await start([endless], { virtual_keys: [poor.entry] });
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { ...poor.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'demo',
        max_tokens: 400,
        stream: true,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
    });
    const text = await response.text();
    expect(text).toContain('event: message_start');
    expect(text).toContain('"code":"insufficient_quota"');
    expect(text).not.toContain('message_stop');
  });
});
