import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServing, type Serving } from '../serving.js';
import { answerOf, readGolden } from './golden.js';

const answers = readGolden('ollama-answers.json');
const errors = readGolden('ollama-errors.json');

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

describe("a request of Ollama's API", () => {
  it('has at least thirty kinds that are answered and thirty that cannot be, each with a name of its own', () => {
    for (const golden of [answers, errors]) {
      expect(golden.length).toBeGreaterThanOrEqual(30);
      expect(new Set(golden.map(({ name }) => name)).size).toBe(golden.length);
    }
  });

  it.each(answers.map((one) => [one.name, one] as const))('is answered: %s', async (_, one) => {
    const { status, type, answer } = one;
    expect(await answerOf(serving, one)).toEqual({ status, type, answer });
  });

  it.each(errors.map((one) => [one.name, one] as const))('is refused: %s', async (_, one) => {
    const { status, type, answer } = one;
    expect(await answerOf(serving, one)).toEqual({ status, type, answer });
    expect(answer).toEqual({ error: expect.any(String) as string });
  });

  it('is refused by its size and by its host before any route in the words of its API', async () => {
    const small = await startServing({}, { limits: { bodyBytes: 1000 } });
    await using _ = small;
    const prompt = { model: 'demo', prompt: 'x'.repeat(2000) };
    const large = await answerOf(small, { name: 'large', path: '/api/generate', json: prompt });
    expect(large).toMatchObject({ status: 413, answer: { error: expect.stringContaining('1000') as string } });
    const openai = await answerOf(small, { name: 'large', path: '/v1/completions', json: prompt });
    expect(openai).toMatchObject({ status: 413, answer: { error: { code: 'request_too_large' } } });
  });

  it('is refused for a host that is not ours, as on every route', async () => {
    const { hostname, port } = new URL(serving.url);
    const [response] = (await once(
      request({ hostname, port, path: '/api/tags', headers: { host: 'evil.example' } }).end(),
      'response',
    )) as [IncomingMessage];
    expect(response.statusCode).toBe(403);
    expect(await json(response)).toEqual({ error: expect.stringContaining('evil.example') as string });
  });

  it('is refused with 503 and when to try again where the queue is full', async () => {
    await using full = await startServing({ maxWaiting: 0 });
    const body = { model: 'demo', prompt: 'Tell me a story.', options: { num_predict: 600 } };
    const all = await Promise.all(Array.from({ length: 80 }, () => full.post('/api/generate', body)));
    const refused = all.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect(await refused[0]?.json()).toEqual({ error: expect.stringMatching(/^server busy: /) as string });
    for (const response of all) await response.body?.cancel().catch(() => {});
  });

  it('has its unknown options named in the log, and nothing else of it', async () => {
    const asked = { model: 'demo', messages: [{ role: 'user', content: 'Zvqsecret' }], stream: false };
    await answerOf(serving, { name: '', path: '/api/chat', json: { ...asked, options: { zvqoption: 'Zvqvalue' } } });
    expect(serving.log.at(-1)).toMatchObject({ route: '/api/chat', status: 200, ignored: ['zvqoption'] });
    expect(JSON.stringify(serving.log)).not.toMatch(/Zvq/);
  });
});

it('HEAD of a blob is refused with 501', async () => {
  const { status } = await fetch(`${serving.url}/api/blobs/sha256:0`, { method: 'HEAD' });
  expect(status).toBe(501);
});

it('the flow of VS Code Copilot leads from the version to an answer', async () => {
  const get = async (path: string): Promise<unknown> => (await fetch(serving.url + path)).json();
  const { version } = (await get('/api/version')) as { version: string };
  expect(version.split('.').map(Number)).toEqual([1, 0, 0]);
  const { models } = (await get('/api/tags')) as { models: { model: string }[] };
  const [{ model } = { model: '' }] = models;
  const shown = (await (await serving.post('/api/show', { model })).json()) as {
    capabilities: string[];
    model_info: Record<string, unknown>;
  };
  expect(shown.capabilities).toEqual(['completion', 'tools', 'thinking', 'embedding']);
  const architecture = String(shown.model_info['general.architecture']);
  expect(shown.model_info[`${architecture}.context_length`]).toBe(1024);
  const messages = [{ role: 'user', content: 'What is the capital of Norway?' }];
  const answer = await serving.post('/v1/chat/completions', { model, messages, temperature: 0 });
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'The capital of Norway is Oslo.' } }] });
});
