import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createModelLibrary, demoDirectory, type ModelLibrary } from '../../src/models/index.js';

const parent = mkdtempSync(join(tmpdir(), 'library-'));
const modelsDir = join(parent, 'models');
const gone: string[] = [];
let library: ModelLibrary;

beforeAll(() => {
  mkdirSync(modelsDir);
  for (const name of ['org_story', 'tagged:latest']) {
    cpSync(demoDirectory(), join(modelsDir, name), { recursive: true });
  }
  cpSync(join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf'), join(modelsDir, 'Tiny.gguf'));
  const acquire = (): Promise<never> => Promise.reject(new Error('no test loads it'));
  const letGo = (directory: string): void => void gone.push(directory);
  library = createModelLibrary({ host: { modelsDir, acquire, letGo }, howToList: 'ask' });
});
afterAll(async () => {
  await library[Symbol.asyncDispose]();
  rmSync(parent, { recursive: true, force: true });
});

describe('the models of a server', () => {
  it.each([
    ['demo:latest', 'demo'],
    ['org/story:latest', 'org_story'],
    ['org_story', 'org_story'],
    ['Tiny:latest', 'Tiny.gguf'],
    ['Tiny.gguf:latest', 'Tiny.gguf'],
    ['tagged:latest', 'tagged:latest'],
  ])('have names with the tag of Ollama: %s is %s', async (id, name) => {
    expect((await library.find(id)).name).toBe(name);
  });

  it.each(['demo:7b', 'nobody:latest', ':latest', 'demo:latest:latest', 'tagged'])('have no other: %s', async (id) => {
    await expect(library.find(id)).rejects.toMatchObject({ code: 'model_not_found', details: { model: id } });
  });

  it('are let go by any of their names, once they were asked for', async () => {
    await library.letGo('org/story');
    expect(gone).toEqual([]);
    await expect(library.open('org/story', new AbortController().signal)).rejects.toThrow('no test loads it');
    await library.letGo('demo');
    expect(gone).toEqual([]);
    await library.letGo('org_story:latest');
    expect(gone).toEqual([join(modelsDir, 'org_story')]);
    expect(library.nameOf(join(modelsDir, 'org_story'))).toBe('org_story');
    await expect(library.letGo('nobody')).rejects.toMatchObject({ code: 'model_not_found' });
  });

  it('say what they are without being loaded', async () => {
    const facts = await library.describe(await library.find('Tiny'));
    expect(facts).toMatchObject({ format: 'gguf', architecture: 'llama', quantization: 'Q4_0' });
  });
});
