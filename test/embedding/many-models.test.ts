import { cpSync, mkdtempSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandomArtifact, shapes } from '../../src/convert/index.js';
import { createEngine, type Engine, type Model } from '../../src/index.js';

const SMALL = {
  ...shapes['1.1b'],
  vocab_size: 300,
  hidden_size: 96,
  intermediate_size: 160,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 512,
};
const GREEDY = { promptTokenIds: [5, 6, 7, 8], maxTokens: 24, temperature: 0, ignoreStop: true };
const LONG = { ...GREEDY, maxTokens: 400 };
const OSLO = { messages: [{ role: 'user' as const, content: 'What is the capital of Norway?' }], temperature: 0 };
const NAMES = ['first', 'second', 'third'];

const modelsDir = mkdtempSync(join(tmpdir(), 'many-models-'));
const options = { modelsDir, threads: 1, kernel: 'portable' } as const;
/** What each model answers alone, and what memory it takes. */
const alone = new Map<string, readonly number[]>();
let modelBytes = 0;

async function tokensOf(model: Model): Promise<number[]> {
  const tokens: number[] = [];
  for await (const token of model.generate(GREEDY)) tokens.push(token);
  return tokens;
}

function loadedBytes(engine: Engine): number {
  return engine.models().reduce((sum, { bytes }) => sum + bytes, 0);
}

beforeAll(async () => {
  await using engine = await createEngine(options);
  for (const [seed, id] of NAMES.entries()) {
    await createRandomArtifact({ config: SMALL, out: join(modelsDir, id), quant: 'q8', seed, id });
    alone.set(id, await tokensOf(await engine.load(id)));
    modelBytes = loadedBytes(engine);
    await engine.unload(id);
  }
});

afterAll(() => rmSync(modelsDir, { recursive: true, force: true }));

describe('an engine with room for two of three models', () => {
  it('shows what a model does without loading it, and keeps none that is only looked at', async () => {
    await using engine = await createEngine({ ...options, memoryBudgetBytes: 2 * modelBytes });
    const [first, second, third] = [
      await engine.load('first'),
      await engine.load('second'),
      await engine.load('third'),
    ];
    const shown = async () => Promise.all([first, second, third].map(async (model) => (await model.stats())?.waiting));
    expect(await shown()).toEqual([undefined, 0, 0]);
    await tokensOf(third);
    expect(await second.stats()).toMatchObject({ running: 0 });
    expect(await tokensOf(first)).toEqual(alone.get('first'));
    expect(await shown()).toEqual([0, undefined, 0]);
    await engine.unload('third');
    expect(await shown()).toEqual([0, undefined, undefined]);
    await first[Symbol.asyncDispose]();
    await expect(first.stats()).rejects.toMatchObject({ code: 'engine_closed' });
  });

  it('answers with each in turn as each does alone, and shows those that are loaded', async () => {
    expect(new Set([...alone.values()].map(String)).size).toBe(3);
    await using engine = await createEngine({ ...options, memoryBudgetBytes: 2 * modelBytes });
    const models = [];
    for (const name of NAMES) models.push(await engine.load(name));
    for (let round = 0; round < 2; round++) {
      for (const model of models) {
        expect(await tokensOf(model)).toEqual(alone.get(model.id));
        expect(loadedBytes(engine)).toBeLessThanOrEqual(2 * modelBytes);
        expect(engine.models().at(-1)).toMatchObject({ id: model.id, state: 'ready', runningCalls: 0 });
        expect(engine.tree().children.at(-1)?.id).toBe(`model:${model.id}`);
        expect(engine.tree().children).toHaveLength(engine.models().length);
      }
    }
  });

  it('answers calls of all three at once, each as alone', async () => {
    await using engine = await createEngine({ ...options, memoryBudgetBytes: 2 * modelBytes });
    const models = await Promise.all(NAMES.map((name) => engine.load(name)));
    const calls = Array.from({ length: 18 }, async (_, i) => {
      const model = models[(i * 7) % 3] as Model;
      expect(await tokensOf(model)).toEqual(alone.get(model.id));
      const logits = await model.forward([1, 2, 3]);
      expect(logits).toHaveLength(3 * model.vocabSize);
      expect((await model.embed([[1, 2, 3]])).embeddings[0]).toHaveLength(SMALL.hidden_size);
    });
    await Promise.all(calls);
    expect(engine.models().length).toBeLessThanOrEqual(2);
    expect(engine.models().every(({ runningCalls }) => runningCalls === 0)).toBe(true);
  });

  it('lets a call be left that waits for room', async () => {
    await using engine = await createEngine({ ...options, memoryBudgetBytes: modelBytes });
    const [first, second] = [await engine.load('first'), await engine.load('second')];
    const running = first.generate(LONG)[Symbol.asyncIterator]();
    await running.next();
    const reason = new Error('enough');
    const controller = new AbortController();
    const waiting = expect(second.forward([1], { signal: controller.signal })).rejects.toBe(reason);
    controller.abort(reason);
    await waiting;
    const after = second.forward([1]);
    await running.return?.();
    expect(await after).toHaveLength(second.vocabSize);
    expect(engine.models()).toMatchObject([{ id: 'second' }]);
  });
});

describe('a model of an engine', () => {
  it('is loaded once under all its names, and ends with the last who holds it', async () => {
    symlinkSync(join(modelsDir, 'first'), join(modelsDir, 'alias'));
    await using engine = await createEngine(options);
    const [first, alias] = await Promise.all([engine.load('first'), engine.load('alias')]);
    expect(engine.models()).toHaveLength(1);
    await first[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    await expect(first.forward([1])).rejects.toMatchObject({ code: 'engine_closed' });
    expect(await tokensOf(alias)).toEqual(alone.get('first'));
    await alias[Symbol.asyncDispose]();
    expect([engine.models(), engine.tree().children]).toEqual([[], []]);
  });

  it('ends what is under way when it is unloaded, and is loaded again by the next call', async () => {
    await using engine = await createEngine(options);
    const model = await engine.load('second');
    const running = model.generate(LONG)[Symbol.asyncIterator]();
    await running.next();
    const ended = (async () => {
      while ((await running.next()).done !== true);
    })();
    const refused = expect(ended).rejects.toMatchObject({ code: 'engine_closed' });
    expect(await engine.unload('second')).toBe(true);
    await refused;
    expect([engine.models(), await engine.unload('second')]).toEqual([[], false]);
    expect(await tokensOf(model)).toEqual(alone.get('second'));
  });

  it('that is unloaded, left or disposed of while it loads is nowhere afterwards', async () => {
    const engine = await createEngine(options);
    const closed = { code: 'engine_closed' };
    const unloaded = expect(engine.load('first')).rejects.toMatchObject(closed);
    while (engine.models().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await engine.unload('first')).toBe(true);
    await unloaded;
    const controller = new AbortController();
    const left = expect(engine.load('first', { signal: controller.signal })).rejects.toBe('left');
    controller.abort('left');
    await left;
    expect(await tokensOf(await engine.load('first'))).toEqual(alone.get('first'));
    const late = expect(engine.load('second')).rejects.toMatchObject(closed);
    await engine[Symbol.asyncDispose]();
    await late;
    expect([engine.models(), engine.ready]).toEqual([[], false]);
  });

  it('leaves an engine that is disposed of with its calls under way', async () => {
    const engine = await createEngine({ ...options, memoryBudgetBytes: 2 * modelBytes });
    const models = await Promise.all(NAMES.map((name) => engine.load(name)));
    const calls = models.map(async (model) => {
      for await (const _ of model.generate(LONG));
    });
    const ended = Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ code: 'engine_closed' })));
    await engine[Symbol.asyncDispose]();
    await ended;
    expect(engine.models()).toEqual([]);
  });

  it('takes no memory after its load has failed', async () => {
    cpSync(join(modelsDir, 'third'), join(modelsDir, 'broken'), { recursive: true });
    truncateSync(join(modelsDir, 'broken', 'weights.bin'), 4_096);
    await using engine = await createEngine(options);
    const loads = await Promise.allSettled([engine.load('broken'), engine.load('broken')]);
    expect(loads.map((load) => load.status === 'rejected' && load.reason)).toMatchObject([
      { code: 'artifact_corrupt' },
      { code: 'artifact_corrupt' },
    ]);
    expect(engine.models()).toEqual([]);
  });

  it('gets a smaller KV cache, with the same context and the same answers, before it is refused', async () => {
    const memoryBudgetBytes = Math.floor(modelBytes / 2);
    await using engine = await createEngine({ ...options, memoryBudgetBytes });
    const model = await engine.load('third');
    expect(model.contextLength).toBe(SMALL.max_position_embeddings);
    expect(await tokensOf(model)).toEqual(alone.get('third'));
    expect(loadedBytes(engine)).toBeLessThanOrEqual(memoryBudgetBytes);
    expect(loadedBytes(engine)).toBeGreaterThan(0.9 * memoryBudgetBytes);
    await using small = await createEngine({ ...options, memoryBudgetBytes: 2 ** 20 });
    const refusal = { code: 'out_of_memory', details: { budgetBytes: 2 ** 20 } };
    await expect(small.load('demo')).rejects.toMatchObject(refusal);
    expect(small.models()).toEqual([]);
  });

  it('keeps its tokenizer while it makes room for another', async () => {
    await using measured = await createEngine(options);
    await measured.load('demo');
    await using engine = await createEngine({ ...options, memoryBudgetBytes: loadedBytes(measured) });
    const [demo, first] = [await engine.load('demo'), await engine.load('first')];
    expect(engine.models()).toMatchObject([{ id: 'first' }]);
    expect(demo.tokenizer.decode(demo.tokenizer.encode('Oslo'))).toBe('Oslo');
    expect((await demo.chat(OSLO)).choices[0]?.message.content).toContain('Oslo');
    expect(await tokensOf(first)).toEqual(alone.get('first'));
    let text = '';
    for await (const chunk of demo.stream(OSLO)) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toContain('Oslo');
    for await (const _ of demo.stream(OSLO)) break;
    expect(engine.models()).toMatchObject([{ id: 'demo', runningCalls: 0 }]);
  });
});
