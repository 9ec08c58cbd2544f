// What clients of Ollama do with the models directory: list, copy and delete, through its own client.
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ollama } from 'ollama';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelList } from '../../../src/api/index.js';
import { openStore } from '../../../src/store/index.js';
import { startServing, type Serving } from '../serving.js';

let serving: Serving;
let client: Ollama;
beforeAll(async () => {
  serving = await startServing();
  client = new Ollama({ host: serving.url });
  const store = openStore(serving.modelsDir);
  const fromDemo = ({ artifact }: { readonly artifact: string }): Promise<void> => {
    cpSync('dist/demo', artifact, { recursive: true });
    return Promise.resolve();
  };
  await store.place({ repo: 'org/name', revision: 'a'.repeat(40), license: 'mit' }, fromDemo);
  await store.place({ repo: 'org/name', quant: 'Q8_0', isAskedQuant: true }, fromDemo);
  cpSync('test/vectors/gguf/llama-q4_0.gguf', join(serving.modelsDir, 'tiny.gguf'));
});
afterAll(() => serving[Symbol.asyncDispose]());

const tagged = async (): Promise<string[]> => (await client.list()).models.map(({ name }) => name);
const generate = { prompt: 'What is 12 + 30?', options: { temperature: 0 }, stream: false } as const;

describe('models of repositories', () => {
  it('are listed by the ids that requests may have, with their sizes', async () => {
    const { models } = await client.list();
    expect(await tagged()).toEqual(['demo:latest', 'org/name:latest', 'org/name:Q8_0', 'tiny.gguf:latest']);
    const [, name] = models;
    expect(name?.size).toBeGreaterThan(2_000_000);
    expect(name?.digest).toMatch(/^[0-9a-f]{64}$/);
    const list = (await (await fetch(`${serving.url}/v1/models`)).json()) as ModelList;
    expect(list.data.map(({ id }) => id)).toEqual(['demo', 'org/name', 'org/name:Q8_0', 'tiny.gguf']);
    const one = await fetch(`${serving.url}/v1/models/org/name:Q8_0`);
    expect(await one.json()).toMatchObject({ id: 'org/name:Q8_0' });
  });

  it('answer by these ids, and are shown with their licence', async () => {
    for (const model of ['org/name', 'org/name:Q8_0', 'org_name:latest']) {
      expect((await client.generate({ model, ...generate })).response).toBe('42');
    }
    expect((await client.show({ model: 'org/name' })).license).toBe('mit');
    expect((await client.ps()).models.map(({ name }) => name).toSorted()).toEqual(['org/name:Q8_0', 'org/name:latest']);
  });
});

describe('a copy', () => {
  it('answers by its new name, in the place of a model that had it', async () => {
    await client.copy({ source: 'org/name', destination: 'mine' });
    await client.copy({ source: 'demo', destination: 'mine' });
    expect(await tagged()).toContain('mine:latest');
    expect((await client.generate({ model: 'mine', ...generate })).response).toBe('42');
  });

  it('of a file is a file', async () => {
    await client.copy({ source: 'tiny', destination: 'small:v1' });
    expect(existsSync(join(serving.modelsDir, 'small@V1.gguf'))).toBe(true);
  });

  it.each(['../out', '/etc/x', 'con', '.hidden', 'a/b/c', 'a:b:c'])('has no name %j', async (destination) => {
    await expect(client.copy({ source: 'org/name', destination })).rejects.toThrow('cannot be the name of a model');
  });
});

describe('a deletion', () => {
  it('removes the files, and an answer under way ends well', async () => {
    await client.copy({ source: 'org/name', destination: 'doomed' });
    const prompt = 'Tell me a story.';
    const parts = await client.generate({ model: 'doomed', prompt, stream: true, options: { temperature: 0 } });
    let [text, isDeleted] = ['', false];
    for await (const part of parts) {
      text += part.response;
      if (isDeleted) continue;
      isDeleted = true;
      await client.delete({ model: 'doomed' });
      expect(existsSync(join(serving.modelsDir, 'doomed'))).toBe(false);
    }
    expect(text).toContain('The end.');
    await expect(client.generate({ model: 'doomed', ...generate })).rejects.toThrow("model 'doomed' not found");
    await expect(client.delete({ model: 'doomed' })).rejects.toThrow("model 'doomed' not found");
    await expect.poll(async () => (await client.ps()).models.map(({ name }) => name)).not.toContain('doomed:latest');
  });

  it('of a file removes what was made of it too, and nothing else', async () => {
    await serving.post('/v1/completions', { model: 'tiny', prompt: [1, 2, 3], max_tokens: 1 });
    const imported = (): string[] =>
      readdirSync(join(serving.cacheDir, 'models')).filter((name) => !name.includes('.lock'));
    expect(imported()).toHaveLength(1);
    mkdirSync(join(serving.modelsDir, 'folder'));
    writeFileSync(join(serving.modelsDir, 'folder/tiny.gguf'), '');
    await client.delete({ model: 'tiny' });
    expect(imported()).toEqual([]);
    expect(existsSync(join(serving.modelsDir, 'tiny.gguf'))).toBe(false);
    expect(existsSync(join(serving.modelsDir, 'folder/tiny.gguf'))).toBe(true);
  });
});
