import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OllamaGenerateAnswer, OllamaLoaded, OllamaShown, OllamaTags } from '../../../src/api/index.js';
import { startServing, type Serving } from '../serving.js';

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
  cpSync(join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf'), join(serving.modelsDir, 'org_tiny.gguf'));
  writeFileSync(join(serving.modelsDir, 'broken.gguf'), 'no model');
  const base = join(serving.modelsDir, 'story');
  cpSync('dist/demo', base, { recursive: true });
  const path = join(base, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { id: string; chat: { template: string | null } };
  writeFileSync(path, JSON.stringify({ ...manifest, id: 'story', chat: { ...manifest.chat, template: null } }));
});
afterAll(() => serving[Symbol.asyncDispose]());

const get = async <T>(path: string): Promise<T> => (await (await fetch(serving.url + path)).json()) as T;
const post = async <T>(path: string, body: object): Promise<T> => (await (await serving.post(path, body)).json()) as T;

describe('a model in the models directory', () => {
  it('is listed with its tag beside the demo, and one that cannot be read is not', async () => {
    const { models } = await get<OllamaTags>('/api/tags');
    expect(models.map(({ name }) => name)).toEqual(['demo:latest', 'org_tiny.gguf:latest', 'story:latest']);
    expect(models[1]).toMatchObject({ details: { format: 'gguf', family: 'llama', quantization_level: 'Q4_0' } });
  });

  it('that is a GGUF file is shown with its own metadata, by any of its names, and what it can do', async () => {
    const brief = await post<OllamaShown>('/api/show', { model: 'org/tiny:latest' });
    expect(brief).toMatchObject({ capabilities: ['completion', 'embedding'] });
    expect(brief.model_info['llama.block_count']).toBeGreaterThan(0);
    expect(brief.tensors).toBeUndefined();
    const verbose = await post<OllamaShown>('/api/show', { model: 'org_tiny', verbose: true });
    expect(verbose.tensors?.find(({ name }) => name === 'token_embd.weight')).toMatchObject({
      type: expect.any(String) as string,
    });
    expect(verbose.model_info['tokenizer.ggml.tokens']).not.toBeNull();
  });

  it('without a chat template continues a prompt, and cannot chat', async () => {
    const options = { temperature: 0, num_predict: 5 };
    const request = { model: 'story', prompt: 'The capital of Norway', stream: false, options };
    const answer = await post<OllamaGenerateAnswer>('/api/generate', request);
    const raw = await post<OllamaGenerateAnswer>('/api/generate', { ...request, raw: true });
    expect(answer).toMatchObject({ done: true, eval_count: 5, response: raw.response });
    expect([answer.context?.length, raw.context]).toEqual([(answer.prompt_eval_count ?? 0) + 5, undefined]);
    const messages = [{ role: 'user', content: 'hi' }];
    const refused = await serving.post('/api/chat', { model: 'story', messages });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining('has no chat template') as string });
    const shown = await post<OllamaShown>('/api/show', { model: 'story' });
    expect(shown).toMatchObject({ template: '', capabilities: ['completion', 'embedding'] });
  });

  it('is listed as loaded under its own name, the one that stays longest first', async () => {
    for (const [model, keep_alive] of Object.entries({ 'org/tiny': '5m', story: -1, demo: '1h' })) {
      await post('/api/generate', { model, keep_alive });
    }
    const { models } = await get<OllamaLoaded>('/api/ps');
    expect(models.map(({ name }) => name)).toEqual(['story:latest', 'demo:latest', 'org_tiny.gguf:latest']);
  });

  it('whose template lacks them refuses thinking and tools in the words that clients look for', async () => {
    const plain = '{% for m in messages %}{{ m.role + m.content }}{% endfor %}';
    await using other = await startServing();
    other.host.chooseTemplate(join(process.cwd(), 'dist/demo'), plain);
    const messages = [{ role: 'user', content: 'hi' }];
    const ask = async (more: object): Promise<unknown> => {
      const response = await other.post('/api/chat', { model: 'demo', messages, ...more });
      return [response.status, await response.json()];
    };
    expect(await ask({ think: true })).toEqual([400, { error: '"demo" does not support thinking' }]);
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(await ask({ tools })).toEqual([400, { error: '"demo" does not support tools' }]);
    expect(await ask({ think: false, stream: false, options: { num_predict: 1 } })).toMatchObject([
      200,
      { done: true },
    ]);
    expect(await ask({ tools, drop_unsupported: true, stream: false, options: { num_predict: 1 } })).toMatchObject([
      200,
      {},
    ]);
  });
});

it('a stream that fails ends with a line that has the error', async () => {
  const messages = [{ role: 'user', content: 'Tell me a story.' }];
  const response = await serving.post('/api/chat', { model: 'demo', messages });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? '';
  const [directory = ''] = serving.host.models().flatMap((model) => (model.id === 'demo' ? model.directory : []));
  await serving.host.unload(directory);
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) text += next.value;
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(lines.slice(0, -1).every((line) => Object.hasOwn(Object(line), 'message'))).toBe(true);
  expect(lines.at(-1)).toEqual({ error: expect.stringContaining('was disposed of') as string });
});

it('a stream that fails before its first line has the status of its error, however long that takes', async () => {
  await using slow = await startServing({}, { streams: { commitAfterMs: 1, keepAliveMs: 1 } });
  const messages = [{ role: 'user', content: 'one two three '.repeat(600) }];
  const response = await slow.post('/api/chat', { model: 'demo', messages });
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: expect.stringContaining('the context holds 1024') as string });
});
