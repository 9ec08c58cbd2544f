import { appendFileSync, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../src/index.js';

const vectors = join(process.cwd(), 'test/vectors/gguf');
const parent = mkdtempSync(join(tmpdir(), 'in-memory-'));
const cacheDir = join(parent, 'cache');
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const open = (importGguf: 'cache' | 'memory'): Promise<Engine> => createEngine({ threads: 1, cacheDir, importGguf });

async function continuation(engine: Engine, file: string): Promise<number[]> {
  await using model = await engine.load(file);
  const tokens: number[] = [];
  for await (const token of model.generate({
    promptTokenIds: [1, 2, 3, 4],
    maxTokens: 16,
    ignoreStop: true,
    temperature: 0,
  })) {
    tokens.push(token);
  }
  return tokens;
}

it.each(['llama-q4_0', 'llama-k', 'qwen2-q8_0'])(
  'a file that is packed into memory answers as its artifact does, and leaves no copy: %s',
  async (name) => {
    const file = join(vectors, `${name}.gguf`);
    await using inMemory = await open('memory');
    const answer = await continuation(inMemory, file);
    expect(existsSync(join(cacheDir, 'models'))).toBe(false);
    await using cached = await open('cache');
    expect(await continuation(cached, file)).toEqual(answer);
    rmSync(join(cacheDir, 'models'), { recursive: true });
  },
);

it('has a tokenizer and a template, is listed by its file, loaded once, and unloaded by its name', async () => {
  const file = join(vectors, 'llama-q4_0.gguf');
  await using engine = await open('memory');
  await using model = await engine.load(file);
  await using again = await engine.load(file);
  expect(again.id).toBe('llama-q4_0');
  expect(model.hasTemplate).toBe(true);
  const answer = await model.chat({
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 4,
  });
  expect(answer.usage?.completion_tokens).toBeGreaterThan(0);
  expect(engine.models()).toMatchObject([{ directory: file, state: 'ready' }]);
  expect(await engine.unload(file)).toBe(true);
  expect(engine.models()).toEqual([]);
});

it('says which types become q8, tells how far it is, and ends when it is asked to', async () => {
  await using engine = await open('memory');
  const phases: string[] = [];
  const onProgress = ({ phase }: { phase: string }): void => void phases.push(phase);
  await using model = await engine.load(join(vectors, 'llama-k.gguf'), { onProgress });
  expect(model.importNote).toMatch(/^stored as q8, 8\.5 bits a weight: .*Q2_K \(\d+ tensors?\)/);
  expect(new Set(phases)).toEqual(new Set(['convert']));
  const other = join(vectors, 'qwen2-q8_0.gguf');
  await expect(engine.load(other, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  await using kept = await engine.load(other);
  expect(kept.importNote).toBe(undefined);
});

it('refuses a file that changes while it is packed', async () => {
  const file = join(parent, 'changing.gguf');
  copyFileSync(join(vectors, 'llama-q4_0.gguf'), file);
  await using engine = await open('memory');
  let isFirst = true;
  const onProgress = (): void => {
    if (isFirst) appendFileSync(file, 'more');
    isFirst = false;
  };
  await expect(engine.load(file, { onProgress })).rejects.toMatchObject({
    code: 'checkpoint_invalid',
    message: expect.stringContaining('changed while it was read') as string,
  });
  await using _ = await engine.load(file);
});
