// A request that names a repository of the hub: its model is pulled, once for all who ask.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startHub, type TestHub } from '../support/hub/test-hub.js';
import { demoRepository } from '../models/pull/support.js';
import { startServing, type Serving } from './serving.js';

let hub: TestHub;
let serving: Serving;
const messages = [{ role: 'user' as const, content: 'What is 12 + 30?' }];

beforeEach(async () => {
  hub = await startHub([demoRepository('org/demo-chat'), { ...demoRepository('org/gated'), gated: true }]);
  const env = { HF_ENDPOINT: hub.url, HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' };
  serving = await startServing({}, { hub: env, streams: { keepAliveMs: 20, commitAfterMs: 10 } });
});
afterEach(async () => {
  await serving[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
});

const chat = (body: object, init?: RequestInit): Promise<Response> =>
  serving.post('/v1/chat/completions', { model: 'org/demo-chat', messages, temperature: 0, ...body }, init);
const sentWeights = (): number => hub.sentBytes.get('model.safetensors') ?? 0;
const weightsBytes = (): number =>
  hub.repositories.get('org/demo-chat')?.files.get('model.safetensors')?.sizeBytes ?? 0;

describe('a request that names a repository', () => {
  it('is answered by its model, through the client of OpenAI', async () => {
    const client = new OpenAI({ baseURL: `${serving.url}/v1`, apiKey: 'any' });
    const answer = await client.chat.completions.create({ model: 'org/demo-chat', messages, temperature: 0 });
    expect(answer.choices[0]?.message.content).toBe('42');
    expect((await client.models.list()).data.map(({ id }) => id)).toContain('org/demo-chat');
  });

  it('gets comments on its stream while the model comes', async () => {
    hub.plan = ({ path }) => (path === 'model.safetensors' ? { drip: { bytes: 200_000, everyMs: 15 } } : undefined);
    const text = await (await chat({ stream: true })).text();
    const before = text.slice(0, text.indexOf('data: '));
    expect(before.split('\n\n').filter((line) => line.startsWith(':')).length).toBeGreaterThan(3);
    expect([...text.matchAll(/"content":"([^"]+)"/g)].map(([, piece]) => piece).join('')).toBe('42');
    expect(text.trimEnd()).toMatch(/data: \[DONE\]$/);
  });

  it('shares one download with all others', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, async () => (await chat({})).json()));
    for (const answer of answers) expect(answer).toMatchObject({ choices: [{ message: { content: '42' } }] });
    expect(sentWeights()).toBe(weightsBytes());
  });

  it('does not stop it by leaving', async () => {
    hub.plan = ({ path }) => (path === 'model.safetensors' ? { drip: { bytes: 200_000, everyMs: 10 } } : undefined);
    const leaving = new AbortController();
    const asked = chat({ stream: true }, { signal: leaving.signal });
    await eventually(() => sentWeights()).toBeGreaterThan(300_000);
    leaving.abort();
    await asked.then(
      (response) => response.text().catch(() => ''),
      () => '',
    );
    await eventually(() => existsSync(join(serving.modelsDir, 'org_demo-chat'))).toBe(true);
    expect(sentWeights()).toBe(weightsBytes());
    expect(await (await chat({})).json()).toMatchObject({ choices: [{ message: { content: '42' } }] });
  });

  it.each([
    ['org/none', 404, 'model_not_found'],
    ['org/gated', 403, 'hub_gated'],
    ['no-repository', 404, 'model_not_found'],
    ['../../etc/passwd', 404, 'model_not_found'],
  ])('%s is refused with %i %s', async (model, status, code) => {
    const response = await chat({ model });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it('is in the log, without the token', async () => {
    await chat({});
    const pulls = serving.log.filter(({ event }) => event === 'pull');
    expect(pulls[0]).toMatchObject({ model: 'org/demo-chat', fits: true });
    expect(pulls.at(-1)).toMatchObject({ model: 'org/demo-chat', outcome: 'new' });
  });
});

describe('/api/pull', () => {
  it('tells the client of Ollama how far it is', async () => {
    const client = new Ollama({ host: serving.url });
    const lines = [];
    for await (const line of await client.pull({ model: 'org/demo-chat', stream: true })) lines.push(line);
    expect(lines[0]).toEqual({ status: 'pulling manifest' });
    expect(lines.at(-1)).toEqual({ status: 'success' });
    const weights = lines.filter(({ total }) => total === weightsBytes());
    expect(weights.length).toBeGreaterThan(1);
    for (const { status, digest } of weights) {
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(status).toBe(`pulling ${digest?.slice(7, 19)}`);
    }
    expect(weights.at(-1)?.completed).toBe(weightsBytes());
    for (const { digest } of lines) expect(digest ?? 'sha256:').toMatch(/^sha256:/);
    const again = await client.pull({ model: 'org/demo-chat' });
    expect(again).toEqual({ status: 'success' });
    expect((await client.list()).models.map(({ name }) => name)).toContain('org/demo-chat:latest');
  });

  it('tells what failed, in a line of a stream that began', async () => {
    const response = await serving.post('/api/pull', { model: 'org/gated' });
    const lines = (await response.text()).trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ error: expect.stringContaining('is gated') });
    const whole = await serving.post('/api/pull', { model: 'org/none', stream: false });
    expect(whole.status).toBe(404);
  });

  it('updates a model whose revision moved', async () => {
    await serving.post('/api/pull', { model: 'org/demo-chat', stream: false });
    const repository = hub.repositories.get('org/demo-chat') ?? expect.fail('it is there');
    const before = hub.seen.length;
    repository.files = new Map([...repository.files].filter(([path]) => path !== 'README.md'));
    const lines = (await (await serving.post('/api/pull', { model: 'org/demo-chat' })).text()).trim().split('\n');
    expect(lines).toContain('{"status":"writing manifest"}');
    expect(hub.seen.length).toBeGreaterThan(before + 2);
  });
});

describe('a server that pulls nothing', () => {
  it('refuses by the name', async () => {
    await using closed = await startServing({ pull: false });
    const asked = await closed.post('/v1/chat/completions', { model: 'org/demo-chat', messages });
    expect(asked.status).toBe(404);
    expect((await closed.post('/api/pull', { model: 'org/demo-chat', stream: false })).status).toBe(404);
    expect(hub.seen).toEqual([]);
  });
});
