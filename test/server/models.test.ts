import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatCompletion, ModelList } from '../../src/api/index.js';
import { offencesOf } from './openai-schemas.js';
import { readChunks, startServing, type Serving } from './serving.js';

const OSLO = { messages: [{ role: 'user', content: 'What is the capital of Norway?' }], temperature: 0 };
const IDS = { prompt: [1, 2, 3, 4, 5], max_tokens: 4, temperature: 0 };
const DEMO = join(process.cwd(), 'dist/demo');

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
  const { modelsDir } = serving;
  cpSync(DEMO, join(modelsDir, 'org_copy'), { recursive: true });
  symlinkSync(DEMO, join(modelsDir, 'linked'));
  cpSync(join(process.cwd(), 'test/vectors/gguf/qwen2-q8_0.gguf'), join(modelsDir, 'tiny.gguf'));
  cpSync(join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf'), join(modelsDir, 'Upper.GGUF'));
  cpSync(DEMO, join(modelsDir, 'directory.gguf'), { recursive: true });
  writeFileSync(join(modelsDir, 'empty.gguf'), '');
  mkdirSync(join(modelsDir, 'no-model'));
  cpSync(DEMO, join(modelsDir, '.hidden'), { recursive: true });
  cpSync(DEMO, join(modelsDir, `gguf-${'a'.repeat(64)}-1.1.1`), { recursive: true });
  cpSync(DEMO, join(modelsDir, 'demo'), { recursive: true });
  writeFileSync(join(modelsDir, 'notes.txt'), 'no model');
  // Beside the models directory, not in it.
  cpSync(DEMO, `${modelsDir}-outside`, { recursive: true });
});
afterAll(() => serving[Symbol.asyncDispose]());

const ask = (model: string, body: object = OSLO): Promise<Response> =>
  serving.post('/v1/chat/completions', { model, ...body });

describe('models', () => {
  it('are the demo and what is a model in the models directory, in the shape of OpenAI', async () => {
    const list = (await (await fetch(`${serving.url}/v1/models`)).json()) as ModelList;
    expect(offencesOf('ListModelsResponse', list)).toEqual([]);
    expect(list.data.map(({ id }) => id)).toEqual([
      'demo',
      'Upper.GGUF',
      'directory.gguf',
      'empty.gguf',
      'linked',
      'org_copy',
      'tiny.gguf',
    ]);
  });

  it.each(['demo', 'org_copy', 'org/copy', 'org%2Fcopy', 'tiny.gguf', 'tiny', 'Upper', 'Upper.gguf', 'directory'])(
    'are found by path as %s',
    async (id) => {
      const response = await fetch(`${serving.url}/v1/models/${id}`);
      expect(response.status).toBe(200);
      expect(offencesOf('Model', await response.json())).toEqual([]);
    },
  );

  it('are loaded when they are first asked for, once for all who ask at once', async () => {
    const answers = await Promise.all(['org_copy', 'org/copy', 'org_copy', 'demo'].map(async (id) => ask(id)));
    const bodies = (await Promise.all(answers.map(async (answer) => answer.json()))) as ChatCompletion[];
    expect(bodies.map(({ choices }) => choices[0]?.message.content)).toEqual(
      Array(4).fill('The capital of Norway is Oslo.'),
    );
    expect(bodies.map(({ model }) => model)).toEqual(['org_copy', 'org/copy', 'org_copy', 'demo']);
    const directories = serving.host.models().map(({ directory }) => directory);
    expect(directories.filter((directory) => directory.endsWith('org_copy'))).toHaveLength(1);
  });

  it('are one where a link and a directory are the same', async () => {
    const before = serving.host.models().length;
    expect((await ask('linked')).status).toBe(200);
    expect(serving.host.models()).toHaveLength(before);
  });

  it('in a GGUF file are converted once, and answer by either name', async () => {
    const names = ['tiny', 'tiny.gguf', 'tiny'];
    const answers = await Promise.all(names.map(async (model) => serving.post('/v1/completions', { model, ...IDS })));
    const texts = await Promise.all(
      answers.map(async (answer) => JSON.stringify(((await answer.json()) as ChatCompletion).choices)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(texts).size).toBe(1);
  });

  it('have names that end in .gguf or .GGUF, also directories, and say which file is none', async () => {
    for (const model of ['Upper', 'Upper.GGUF', 'directory.gguf']) {
      expect([model, (await serving.post('/v1/completions', { model, ...IDS })).status]).toEqual([model, 200]);
    }
    const empty = await serving.post('/v1/completions', { model: 'empty', ...IDS });
    expect(await empty.json()).toMatchObject({
      error: { code: 'checkpoint_invalid', message: expect.stringContaining('empty.gguf') as string },
    });
  });

  it('are never written to: what is made of them is in the cache directory', () => {
    expect(readdirSync(serving.modelsDir).filter((name) => /^\.digests|^gguf-[^a]|lock|partial/.test(name))).toEqual(
      [],
    );
    expect(readdirSync(join(serving.cacheDir, 'models')).length).toBeGreaterThan(0);
  });

  it('send comments while they load, and then the answer', async () => {
    await using slow = await startServing({}, { streams: { commitAfterMs: 1, keepAliveMs: 2 } });
    const response = await slow.post('/v1/chat/completions', { model: 'demo', stream: true, ...OSLO });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text.indexOf(': ping\n\n')).toBe(0);
    const chunks = await readChunks<{ choices: { delta: { content?: string } }[] }>(
      new Response(text.replaceAll(': ping\n\n', '')),
    );
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      'The capital of Norway is Oslo.',
    );
  });

  it('that fail after the stream has begun say so in an event, without [DONE]', async () => {
    await using slow = await startServing({}, { streams: { commitAfterMs: 1, keepAliveMs: 1000 } });
    const long = [{ role: 'user', content: 'one two three '.repeat(600) }];
    const response = await slow.post('/v1/chat/completions', { model: 'demo', stream: true, messages: long });
    expect(response.status).toBe(200);
    const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: '));
    expect(events).toHaveLength(1);
    expect(JSON.parse(events[0]?.slice(6) ?? '')).toMatchObject({ error: { code: 'context_length_exceeded' } });
  });

  it('that are broken are the server’s mistake, and SDKs need not try again', async () => {
    cpSync(DEMO, join(serving.modelsDir, 'broken'), { recursive: true });
    writeFileSync(join(serving.modelsDir, 'broken/weights.bin'), 'no weights');
    const response = await ask('broken');
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([500, 'false']);
    expect(await response.json()).toMatchObject({ error: { type: 'server_error', code: 'artifact_corrupt' } });
  });
});

describe('names that lead outside', () => {
  const outside = (name: string): string => `../${name.slice(name.lastIndexOf('/') + 1)}-outside`;
  it.each([
    (dir: string) => outside(dir),
    (dir: string) => `${dir}-outside`,
    (dir: string) => `${dir}/org_copy`,
    (dir: string) => `no-model/../${outside(dir)}`,
    () => 'org_copy/../org_copy',
    () => './org_copy',
    () => 'org_copy/',
    () => 'org_copy\0',
    () => '.hidden',
    () => 'no-model',
    () => 'notes.txt',
    () => '',
    () => '..',
    () => '%2e%2e',
    () => '..\\..\\etc',
    () => `gguf-${'a'.repeat(64)}-1.1.1`,
    () => 'ORG_COPY',
    () => 'o'.repeat(100_000),
  ])('are models that are not there: %#', async (name) => {
    const loaded = serving.host.models().length;
    const id = name(serving.modelsDir);
    const response = await ask(id);
    expect([id === '' ? 400 : 404, id]).toEqual([response.status, id]);
    const byPath = await fetch(`${serving.url}/v1/models/${encodeURIComponent(id)}`).catch(() => undefined);
    if (byPath !== undefined && id !== '' && id.length < 1000) expect([404, id]).toEqual([byPath.status, id]);
    expect(serving.host.models()).toHaveLength(loaded);
  });
});
