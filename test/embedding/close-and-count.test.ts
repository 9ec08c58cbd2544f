import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, type Engine, type Model } from '../../src/index.js';
import { sampleFile } from '../weights/gguf-file.js';

const question = { role: 'user' as const, content: 'What is 12 + 30?' };
const tools = [
  { type: 'function' as const, function: { name: 'add', parameters: { type: 'object', properties: {} } } },
];

describe('a model', () => {
  let engine: Engine;
  let model: Model;

  beforeAll(async () => {
    engine = await createEngine({ threads: 1 });
    model = await engine.load('demo');
  });
  afterAll(async () => engine.close());

  it.each([
    ['a question', { messages: [question] }],
    ['tools', { messages: [question], tools }],
    ['tools that may not be called', { messages: [question], tools, tool_choice: 'none' as const }],
    ['thinking', { messages: [question], enable_thinking: true }],
    ['several turns', { messages: [question, { role: 'assistant' as const, content: '42.' }, question] }],
  ])('counts the tokens of %s as an answer does', async (_, request) => {
    const { usage } = await model.chat({ ...request, max_tokens: 1 });
    expect(await model.countTokens(request)).toBe(usage.prompt_tokens);
  });

  it('counts messages alone, and more than the context holds', async () => {
    expect(await model.countTokens([question])).toBe(await model.countTokens({ messages: [question] }));
    const long = [{ role: 'user' as const, content: 'one two three '.repeat(600) }];
    expect(await model.countTokens(long)).toBeGreaterThan(model.contextLength);
    const reason = new Error('enough');
    await expect(model.countTokens([question], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('what is closed', () => {
  it('answers no more, as after `await using`', async () => {
    const engine = await createEngine({ threads: 1 });
    const [first, second] = [await engine.load('demo'), await engine.load('demo')];
    await first.close();
    await first.close();
    await expect(first.countTokens([question])).rejects.toMatchObject({ code: 'engine_closed' });
    expect(await second.countTokens([question])).toBeGreaterThan(0);
    await engine.close();
    await engine.close();
    await expect(second.countTokens([question])).rejects.toMatchObject({ code: 'engine_closed' });
    await expect(engine.load('demo')).rejects.toMatchObject({ code: 'engine_closed' });
  });
});

describe('the models that are available', () => {
  let directory: string;
  const demo = join(process.cwd(), 'dist/demo');

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'troupe-models-'));
    cpSync(demo, join(directory, 'mine'), { recursive: true });
    symlinkSync(demo, join(directory, 'linked'));
    symlinkSync(join(directory, 'nowhere'), join(directory, 'dangling'));
    cpSync(demo, join(directory, 'cut'), { recursive: true });
    truncateSync(join(directory, 'cut/weights.bin'), 1000);
    mkdirSync(join(directory, 'broken'));
    writeFileSync(join(directory, 'broken/manifest.json'), '{}');
    mkdirSync(join(directory, 'notes'));
    mkdirSync(join(directory, `gguf-${'0'.repeat(64)}-1.1.1`));
    mkdirSync(join(directory, 'new.partial-0123456789ab'));
    writeFileSync(join(directory, 'readme.txt'), 'x');
    writeFileSync(join(directory, 'small.GGUF'), sampleFile);
    writeFileSync(join(directory, 'text.gguf'), 'no model at all, but long enough for a header');
  });
  afterAll(() => {
    chmodSync(directory, 0o755);
    rmSync(directory, { recursive: true, force: true });
  });

  it('are the demo, and the artifacts and files of the directory, with their sizes', async () => {
    await using engine = await createEngine({ threads: 1, modelsDir: directory });
    const models = await engine.available();
    expect(models.map(({ name, kind, problem }) => [name, kind, problem?.code])).toEqual([
      ['demo', 'demo', undefined],
      ['broken', 'artifact', 'artifact_invalid'],
      ['cut', 'artifact', 'artifact_corrupt'],
      ['dangling', 'artifact', 'artifact_not_found'],
      ['linked', 'artifact', undefined],
      ['mine', 'artifact', undefined],
      ['small.GGUF', 'gguf', undefined],
      ['text.gguf', 'gguf', 'checkpoint_invalid'],
    ]);
    const bytesOf = (name: string): number | undefined => models.find((model) => model.name === name)?.bytes;
    expect(bytesOf('mine')).toBe(bytesOf('demo'));
    expect(bytesOf('demo')).toBeGreaterThan(1_000_000);
    expect(bytesOf('text.gguf')).toBe(45);
    for (const { name, problem } of models) {
      if (problem === undefined && name !== 'small.GGUF') await (await engine.load(name)).close();
    }
  });

  it('are the demo where there is no directory', async () => {
    await using engine = await createEngine({ threads: 1, modelsDir: join(directory, 'nowhere') });
    expect((await engine.available()).map(({ name }) => name)).toEqual(['demo']);
  });
});
