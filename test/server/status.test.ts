import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServing, type Serving } from './serving.js';

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

const get = (path: string): Promise<Response> => fetch(serving.url + path);
const STORY = { model: 'demo', messages: [{ role: 'user', content: 'Tell me a story.' }], max_tokens: 8 };

describe('the state of a server', () => {
  it('is ready before any model is loaded, and not while the first one loads', async () => {
    expect((await get('/ready')).status).toBe(200);
    const answer = serving.post('/v1/chat/completions', STORY);
    await expect.poll(() => serving.host.models().map(({ state }) => state), { interval: 1 }).toContain('loading');
    const loading = await get('/ready');
    expect([loading.status, loading.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await loading.json()).toMatchObject({ error: { code: 'model_loading' } });
    expect((await get('/health')).status).toBe(200);
    expect((await answer).status).toBe(200);
    expect((await get('/ready')).status).toBe(200);
  });

  it('shows the tree of actors', async () => {
    const health = await (await get('/health')).json();
    expect(health).toMatchObject({
      status: 'ok',
      kernel: { variant: expect.stringMatching(/^(portable|narrow|relaxed|vnni|reference)$/), notes: [] },
      tree: { id: 'engine', children: [{ id: 'model:demo', state: 'running' }] },
    });
    for (const id of ['compute', 'engine', 'tokenizer', 'template'])
      expect(JSON.stringify(health)).toContain(`"${id}"`);
  });

  it('names the engine, under a version that clients of Ollama take', async () => {
    const version = (await (await get('/api/version')).json()) as Record<string, string>;
    expect(version).toEqual({ version: '1.0.0', engine: 'troupe', build: '0.0.0' });
  });

  it('answers HEAD as GET without a body', async () => {
    const response = await fetch(`${serving.url}/health`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

describe('GET /metrics', () => {
  it('is text that Prometheus reads: every line a comment or a sample of a metric that was declared', async () => {
    await serving.post('/v1/chat/completions', { ...STORY, stream: true }).then(async (response) => response.text());
    await serving.post('/v1/chat/completions', { ...STORY, model: 'nobody-"\\\n' });
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    const declared = new Map<string, string>();
    for (const line of text.trimEnd().split('\n')) {
      const [, name, type] = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line) ?? [];
      if (name !== undefined) {
        expect(declared.has(name)).toBe(false);
        declared.set(name, type ?? '');
      }
      if (line.startsWith('#')) continue;
      const [, sampled = ''] = /^(\w+)(?:\{(?:\w+="(?:[^"\\\n]|\\.)*",?)+\})? -?[\d.e+-]+$/.exec(line) ?? [];
      expect([line, declared.has(sampled.replace(/_(bucket|sum|count)$/, '')) || declared.has(sampled)]).toEqual([
        line,
        true,
      ]);
    }
    for (const name of [
      'gen_ai_server_request_duration_seconds',
      'gen_ai_server_time_to_first_token_seconds',
      'gen_ai_server_time_per_output_token_seconds',
      'gen_ai_client_token_usage',
      'troupe_sequences_running',
      'troupe_http_connections',
    ]) {
      expect(text).toMatch(new RegExp(`^${name}`, 'm'));
    }
    expect(text).toContain('gen_ai_request_model="demo",gen_ai_token_type="output"');
    expect(text).not.toContain('nobody');
  });

  it('counts a model once, by whichever of its names it is asked for', async () => {
    for (const model of ['demo', 'demo:latest']) {
      expect((await serving.post('/v1/chat/completions', { ...STORY, model })).status).toBe(200);
      expect((await serving.post('/api/embed', { model, input: 'x' })).status).toBe(200);
    }
    const text = await (await get('/metrics')).text();
    const named = new Set(Array.from(text.matchAll(/gen_ai_request_model="([^"]*)"/g), ([, name]) => name));
    expect([...named].filter((name) => name?.includes('latest'))).toEqual([]);
  });

  it('has a bound on what it tells apart', async () => {
    for (let i = 0; i < 100; i++) await get(`/v1/models/model-${i}`);
    for (let i = 0; i < 100; i++) await get(`/path-${i}`);
    const text = await (await get('/metrics')).text();
    expect(text.split('\n').filter((line) => line.startsWith('troupe_http_requests_total{')).length).toBeLessThan(20);
    expect(text).not.toMatch(/path-|model-/);
  });
});
