// Responses and Messages of the engine through the gateway: what clients read is what the engine says, byte for byte.
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { overTransports } from '../../http/over-transports.js';
import { startServing, type Serving } from '../../server/serving.js';
import { makeKey, modelOf, runtimeAt, startGateway, type StartedGateway } from './start-gateway.js';
import { SOON } from '../../support/start-product.js';

const OSLO = 'What is the capital of Norway?';
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const told = { name: 'get_weather', description: 'Get the current weather in a city.' };

const bodies: readonly (readonly [name: string, path: string, body: object])[] = [
  ['an answer of responses', '/v1/responses', { input: OSLO }],
  [
    'a forced call of responses',
    '/v1/responses',
    { input: OSLO, tools: [{ type: 'function', ...told, parameters: schema, strict: false }], tool_choice: 'required' },
  ],
  ['a refusal of responses', '/v1/responses', { input: OSLO, previous_response_id: 'resp_1' }],
  ['an answer of messages', '/v1/messages', { max_tokens: 50, messages: [{ role: 'user', content: OSLO }] }],
  [
    'a forced call of messages',
    '/v1/messages',
    {
      max_tokens: 50,
      messages: [{ role: 'user', content: OSLO }],
      tools: [{ ...told, input_schema: schema }],
      tool_choice: { type: 'any' },
    },
  ],
  ['a refusal of messages', '/v1/messages', { max_tokens: 0, messages: [] }],
];

overTransports('through a gateway', (transport) => {
  let serving: Serving;
  let recorder: Recorder;
  let gateway: StartedGateway;
  const key = makeKey('vk_a', { limits: { budget: { tokens: 10 ** 9, window: 'total' } } });
  beforeAll(async () => {
    serving = await startServing({}, { transport });
    recorder = await record(serving.url);
    const parts = {
      runtimes: [runtimeAt(recorder.url, { kind: 'native-engine' })],
      models: [modelOf({ targets: [{ runtime: 'r', model: 'demo' }] })],
      virtual_keys: [key.entry],
    };
    gateway = await startGateway(parts, { transport });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    recorder.server.close();
    recorder.server.closeAllConnections();
    await serving[Symbol.asyncDispose]();
  });

  it.each(bodies.flatMap(([name, path, body]) => [false, true].map((stream) => [name, stream, path, body] as const)))(
    '%s has the bytes that the engine sent; as a stream: %s',
    async (name, stream, path, body) => {
      const response = await fetch(gateway.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key.secret },
        body: JSON.stringify({ model: 'demo', temperature: 0, ...body, stream }),
      });
      const bytes = await response.text();
      expect(bytes).toBe(recorder.last.body.toString());
      expect([response.status, response.headers.get('content-type')]).toEqual([
        recorder.last.status,
        recorder.last.type,
      ]);
      expect(response.status).toBe(name.startsWith('a refusal') ? 400 : 200);
      expect(bytes.length).toBeGreaterThan(50);
    },
  );

  it('their clients call tools, and what they took is charged', async () => {
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key.secret, maxRetries: 0 });
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: key.secret, maxRetries: 0 });
    const tokensOf = (): number => gateway.meter.usage({ by: 'key' })[0]?.completionTokens ?? 0;
    const before = tokensOf();
    let took = 0;

    const stream = openai.responses.stream({
      model: 'demo',
      input: OSLO,
      temperature: 0,
      tools: [{ type: 'function', ...told, parameters: schema, strict: false }],
      tool_choice: 'required',
    });
    const { output, usage } = await stream.finalResponse();
    expect(output.map(({ type }) => type)).toContain('function_call');
    took += usage?.output_tokens ?? 0;

    const message = await anthropic.messages
      .stream({
        model: 'demo',
        max_tokens: 50,
        temperature: 0,
        messages: [{ role: 'user', content: OSLO }],
        tools: [{ ...told, input_schema: { ...schema, type: 'object' } }],
        tool_choice: { type: 'tool', name: 'get_weather' },
      })
      .finalMessage();
    expect(message.content).toContainEqual(expect.objectContaining({ type: 'tool_use', name: 'get_weather' }));
    took += message.usage.output_tokens;

    await expect.poll(() => tokensOf() - before, SOON).toBe(took);
  });
});

/** A forwarder that keeps what was answered last. */
interface Recorder {
  readonly url: string;
  readonly server: Server;
  readonly last: { status: number | undefined; type: string | undefined; body: Buffer };
}

async function record(url: string): Promise<Recorder> {
  const last: Recorder['last'] = { status: undefined, type: undefined, body: Buffer.alloc(0) };
  const server = createServer((asked, answer) => {
    const { method, headers } = asked;
    const upstream = request(url + (asked.url ?? ''), { method, headers }, (got) => {
      Object.assign(last, { status: got.statusCode, type: got.headers['content-type'], body: Buffer.alloc(0) });
      got.on('data', (chunk: Buffer) => (last.body = Buffer.concat([last.body, chunk])));
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    upstream.on('error', () => answer.destroy());
    asked.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, last };
}
