import { Compile } from 'typebox/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shownPath } from '../../src/endpoint/index.js';
import type { EngineRoute } from '../../src/server/engine-route.js';
import { routes } from '../../src/server/routes/index.js';
import { startServing, type Serving } from './serving.js';

interface Operation {
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
  readonly responses: Record<string, { readonly content: Record<string, { readonly schema: object }> }>;
}
interface OpenApi {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
}

/** A request that each route with a body answers. */
const bodies: Record<string, object> = {
  chatCompletions: { model: 'demo', messages: [{ role: 'user', content: 'hi' }], max_tokens: 2 },
  completions: { model: 'demo', prompt: 'hi', max_tokens: 2 },
  responses: { model: 'demo', input: 'hi', max_output_tokens: 2 },
  messages: { model: 'demo', messages: [{ role: 'user', content: 'hi' }], max_tokens: 2 },
  messagesCountTokens: { model: 'demo', messages: [{ role: 'user', content: 'hi' }] },
  embeddings: { model: 'demo', input: 'hi' },
  ollamaChat: { model: 'demo', messages: [{ role: 'user', content: 'hi' }], options: { num_predict: 4 } },
  ollamaGenerate: { model: 'demo', prompt: 'hi', options: { num_predict: 4 } },
  ollamaEmbed: { model: 'demo', input: 'hi' },
  ollamaEmbeddings: { model: 'demo', prompt: 'hi' },
  ollamaShow: { model: 'demo' },
};
/** Routes that refuse whatever they are asked: the suite of Ollama's errors has them. */
const refusing = /^ollama(?:Pull|Push|Create|Copy|Delete|FindBlob|AddBlob)$/;
const answering = Object.entries<EngineRoute>(routes).filter(([name]) => !refusing.test(name));

let serving: Serving;
let document: OpenApi;
beforeAll(async () => {
  serving = await startServing();
  document = (await (await fetch(`${serving.url}/openapi.json`)).json()) as OpenApi;
  expect(document.openapi).toBe('3.1.0');
});
afterAll(() => serving[Symbol.asyncDispose]());

describe.each(answering)('the route %s', (name, route) => {
  let operation: Operation | undefined;
  const url = (): string => serving.url + shownPath(route).replace('{id}', 'demo');
  const send = (more: object = {}): Promise<Response> =>
    route.method === 'GET' ? fetch(url()) : serving.post(route.path, { ...bodies[name], ...more });

  beforeAll(() => {
    operation = document.paths[shownPath(route)]?.[route.method.toLowerCase()];
  });

  it('answers as its description in OpenAPI says', async () => {
    // Ollama's dialects stream by default.
    const response = await send({ stream: false });
    expect(response.status).toBe(200);
    const [type, { schema }] = Object.entries(operation?.responses['200']?.content ?? {})[0] ?? ['', { schema: {} }];
    expect(response.headers.get('content-type')).toContain(type);
    const text = await response.text();
    if (type === 'application/json') expect(Compile(schema).Errors(JSON.parse(text))).toEqual([true, []]);
  });

  it('streams the events that it describes, if it streams', async () => {
    const type = route.eventType?.split(';')[0] ?? 'text/event-stream';
    const event = operation?.responses['200']?.content[type];
    expect(event === undefined).toBe(route.event === undefined);
    if (event === undefined) return;
    const text = await (await send({ stream: true, stream_options: { include_usage: true } })).text();
    const events = text.split('\n').flatMap((line) => /^(?:data: )?(\{.*)$/.exec(line)?.[1] ?? []);
    // How text is cut depends on the machine: a piece and an end are the least.
    expect(events.length).toBeGreaterThanOrEqual(2);
    const schema = Compile(event.schema);
    for (const line of events) expect(schema.Errors(JSON.parse(line))).toEqual([true, []]);
  });

  it('describes a request that it takes', () => {
    const schema = operation?.requestBody?.content['application/json']?.schema;
    expect(schema === undefined).toBe(route.body === undefined);
    if (schema === undefined) return;
    expect(Compile(schema).Errors(bodies[name])).toEqual([true, []]);
    // It may name its model in another field too.
    const isNamedTwice = name === 'ollamaShow';
    expect(Compile(schema).Check({ ...bodies[name], model: undefined })).toBe(isNamedTwice);
    expect(Compile(schema).Check({})).toBe(isNamedTwice);
  });

  it('refuses other methods with 405 and says which it takes', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', route.method === 'GET' ? 'POST' : 'GET']) {
      const response = await fetch(url(), { method });
      expect([response.status, response.headers.get('allow')?.includes(route.method)]).toEqual([405, true]);
      const ollama = { error: expect.stringContaining('is not allowed here') as string };
      const openai = { error: { code: 'method_not_allowed' } };
      expect(await response.json()).toMatchObject(route.path.startsWith('/api/') ? ollama : openai);
    }
  });
});
