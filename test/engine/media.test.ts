// Prompts with rows that are no tokens: given as embeddings, or made by a tower.
import { createHash } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSupervisor, type Supervisor } from '../../src/actor/index.js';
import { createBatch, devices, type Device } from '../../src/compute/index.js';
import { tensorView } from '../../src/compute/devices/cpu/index.js';
import { EngineClient, engineKey, engineTree } from '../../src/engine/index.js';
import { toCacheScope } from '../../src/engine/cache/cache-scope.js';
import { RowKeys } from '../../src/engine/media/row-keys.js';
import type { GenerateRequest, MediaItem } from '../../src/engine/request.js';
import { unpackMatrix, type QuantName } from '../../src/weights/index.js';
import { createTinyModel, toDeviceMemory, TINY_GEMMA3, type TinyModel } from '../support/tiny-model.js';
import { answers, ask, createEngine, text } from './greedy.js';

const MODEL: { readonly vocabSize: number; readonly hiddenSize: number } = { vocabSize: 197, hiddenSize: 72 };
/** The id in place of rows of media. */
const PLACEHOLDER = 5;

const digestOf = (values: Float32Array): string => createHash('sha256').update(values).digest('hex');

/** Rows as large as embeddings, the same for the same seed. */
function draw(seed: number, rows: number, at: number, tower?: string): MediaItem {
  const values = Float32Array.from({ length: rows * MODEL.hiddenSize }, (_, i) => Math.sin(seed * 11 + i * 7) / 4);
  return { at, rows, values, digest: digestOf(values), ...(tower !== undefined && { tower }) };
}

/** `length` tokens, with placeholders where the items lie. */
function promptOf(seed: number, length: number, media: readonly MediaItem[]): number[] {
  const ids = text(seed, length);
  for (const { at, rows } of media) ids.fill(PLACEHOLDER, at, at + rows);
  return ids;
}

const askWith = (seed: number, length: number, media: readonly MediaItem[], rest: Partial<GenerateRequest> = {}) =>
  ask(promptOf(seed, length, media), { media, ...rest });

describe.each([
  ['qwen3 in f32', { quant: 'f32' as QuantName }],
  ['qwen3 in q8', { quant: 'q8' as QuantName }],
  ['gemma3, whose embeddings have a scale', { quant: 'f32' as QuantName, config: TINY_GEMMA3 }],
])('rows that are given, in %s', (_, options) => {
  let model: TinyModel;
  beforeAll(async () => {
    model = await createTinyModel(options);
  });

  it('have the tokens of ids whose embeddings they are', () => {
    const { graph, plan, memories } = model;
    const [embed] = graph.ops;
    if (embed?.op !== 'embed') throw new Error('a graph begins with its embedding');
    const stored = plan.tensors[plan.panels[embed.table]?.[0] ?? ''];
    if (stored === undefined) throw new Error('the table is stored');
    const bytes = tensorView(plan, memories, stored.name, devices.cpu.layout.bytes(stored));
    const table = unpackMatrix(stored.quant, bytes, stored.rows, stored.columns);
    const ids = text(3, 70);
    const [at, rows] = [8, 50];
    const values = new Float32Array(rows * graph.hiddenSize);
    for (let row = 0; row < rows; row++) {
      const id = ids[at + row] ?? 0;
      const own = table.subarray(id * graph.hiddenSize, (id + 1) * graph.hiddenSize);
      values.set(
        own.map((value) => Math.fround(value * Math.fround(embed.scale))),
        row * graph.hiddenSize,
      );
    }
    const placeholders = [...ids].fill(PLACEHOLDER, at, at + rows);
    const media = [{ at, rows, values, digest: digestOf(values) }];
    const more = { maxTokens: 30, logprobs: 3 };
    const asTokens = answers(createEngine(model), ask(ids, more));
    expect(answers(createEngine(model), ask(placeholders, { ...more, media }))).toEqual(asTokens);
    // The placeholders' own embeddings give others.
    expect(answers(createEngine(model), ask(placeholders, more))).not.toEqual(asTokens);
  });
});

describe('the prefix cache', () => {
  let model: TinyModel;
  beforeAll(async () => {
    model = await createTinyModel();
  });

  it('knows rows by their digests, not by their placeholders', () => {
    const [cat, dog] = [draw(1, 40, 10), draw(2, 40, 10)];
    const engine = createEngine(model);
    const ofCat = askWith(3, 100, [cat], { caller: 'a' });
    const ofDog = askWith(3, 100, [dog], { caller: 'b' });
    const [first] = answers(engine, ofCat);
    expect(first?.cached).toBe(0);
    expect(answers(engine, { ...ofCat, caller: 'c' })[0]).toEqual({ ...first, cached: 96 });
    const [other] = answers(engine, ofDog);
    expect(other?.cached).toBe(0);
    expect(other?.tokens).toEqual(answers(createEngine(model), ofDog)[0]?.tokens);
    expect(other?.tokens).not.toEqual(first?.tokens);
    // Placeholders without media are tokens.
    expect(answers(engine, ask(ofCat.promptTokenIds, { caller: 'd' }))[0]?.cached).toBe(0);
  });

  it('reuses an item up to where prompts differ, also in the middle of it', () => {
    const engine = createEngine(model);
    const long = draw(1, 80, 10);
    const before = askWith(3, 100, [long], { caller: 'a' });
    answers(engine, before);
    const after = askWith(3, 150, [long], { caller: 'b' });
    const [next] = answers(engine, { ...after, promptTokenIds: [...before.promptTokenIds, ...text(9, 50)] });
    expect(next?.cached).toBe(96);
    // The same item elsewhere is the same rows, but what is before them differs.
    const [moved] = answers(engine, askWith(3, 100, [{ ...long, at: 11 }], { caller: 'c' }));
    expect(moved?.cached).toBe(0);
  });

  it('keeps them within a scope, and the beginning of a block for its caller', () => {
    const engine = createEngine(model);
    const item = draw(1, 60, 4);
    const scoped = (salt: string, caller: string) =>
      askWith(3, 80, [item], { cacheScope: toCacheScope(salt), caller, maxTokens: 1 });
    answers(engine, scoped('one', 'a'));
    expect(answers(engine, scoped('two', 'a'))[0]?.cached).toBe(0);
    expect(answers(engine, scoped('one', 'b'))[0]?.cached).toBe(64);
    expect(answers(engine, scoped('one', 'a'))[0]?.cached).toBe(79);
  });

  it('gives 20 sequences with few blocks the tokens that each has alone', async () => {
    const requests = Array.from({ length: 20 }, (_, i) =>
      askWith(i % 3, 60 + i, [draw(i % 2, 20, 3), draw(i % 4, 30, 25)], { maxTokens: 30, caller: `caller ${i % 5}` }),
    );
    const crowd = createEngine(await createTinyModel({ weightsOf: model, capacity: { kvBlocks: 12 } }));
    const alone = createEngine(model);
    expect(answers(crowd, ...requests).map(({ tokens }) => tokens)).toEqual(
      requests.map((request) => answers(alone, request)[0]?.tokens),
    );
    expect(crowd.stats.freeBlocks).toBe(crowd.stats.blocks);
  });

  it('names 10,000 items, and forgets the least recently used', () => {
    const keys = new RowKeys();
    const of = (seed: number): number[] =>
      keys.of([7, 7, 7], [{ at: 1, rows: 2, digest: String(seed), values: new Float32Array(0) }]);
    const first = of(0);
    expect(first[0]).toBe(7);
    const seen = new Set(first.slice(1));
    for (let seed = 1; seed < 10_000; seed++) for (const key of of(seed).slice(1)) seen.add(key);
    expect(seen.size).toBe(20_000);
    expect(of(9_999)).toEqual(of(9_999));
    expect(of(0)).not.toEqual(first);
  });
});

describe('a tower', () => {
  const running: Supervisor[] = [];
  let model: TinyModel;
  let tower: TinyModel;
  /** The hidden states of the tower for an item, row by row. */
  const seenBy = ({ rows, values }: MediaItem, { device, graph: { hiddenSize } }: TinyModel): Float32Array => {
    const states = new Float32Array(values.length);
    const batch = createBatch(device);
    batch.blockTables = [[0, 1, 2]];
    batch.rows = 1;
    for (let row = 0; row < rows; row++) {
      batch.given.splice(0, 1, { row: 0, values: values.slice(row * hiddenSize, (row + 1) * hiddenSize) });
      batch.positions[0] = batch.slots[0] = row;
      device.run(batch);
      states.set(device.hidden(0), row * hiddenSize);
    }
    return states;
  };

  beforeAll(async () => {
    model = await createTinyModel();
    tower = await createTinyModel({ quant: 'f32', config: TINY_GEMMA3 });
  });
  afterEach(async () => {
    for (const supervisor of running.splice(0)) await supervisor.stop();
  });

  it('makes the rows of its items, once for each', () => {
    const item = draw(4, 70, 5, 'eye');
    const given = { ...draw(4, 70, 5), values: seenBy(item, tower) };
    const expected = answers(createEngine(model), askWith(3, 90, [given]));
    let steps = 0;
    const { device: real } = tower;
    const device: Device = {
      ...real,
      run(batch) {
        steps++;
        real.run(batch);
      },
    };
    const engine = createEngine(model, { towers: new Map([['eye', device]]) });
    expect(answers(engine, askWith(3, 90, [item]))).toEqual(expected);
    // 70 rows in steps of 64.
    expect(steps).toBe(2);
    expect(answers(engine, askWith(8, 90, [item]))[0]?.cached).toBe(0);
    expect(steps).toBe(2);
    // Another scope does not learn, by a quick answer, that the item was there.
    answers(engine, askWith(8, 90, [item], { cacheScope: toCacheScope('other') }));
    expect(steps).toBe(4);
  });

  it.each(['inline', 'thread'] as const)('lives and dies with its engine, %s', async (placement) => {
    const item = draw(4, 70, 5, 'eye');
    const request = askWith(3, 90, [item], { maxTokens: 60 });
    const expected = answers(createEngine(model, { towers: new Map([['eye', tower.device]]) }), request)[0]?.tokens;
    const threads = placement === 'inline' ? 1 : 2;
    const together = await createTinyModel({ weightsOf: model, threads });
    const { contextLength, vocabSize } = together.config;
    const { hiddenSize } = together.graph;
    const towers = new Map([['eye', { width: hiddenSize, maxRows: 256 }]]);
    const client = new EngineClient({ contextLength, vocabSize, media: { hiddenSize, towers } });
    const memory = { graph: together.graph, device: toDeviceMemory(together, threads), contextLength };
    const eye = await createTinyModel({ quant: 'f32', config: TINY_GEMMA3, weightsOf: tower, threads });
    const seeing = { graph: eye.graph, device: toDeviceMemory(eye, threads) };
    const spec = engineTree({ memory, towers: new Map([['eye', seeing]]), placement, client });
    const supervisor = await createSupervisor(spec);
    running.push(supervisor);
    const attach = (): void => client.attach(supervisor.ref(engineKey));
    attach();
    supervisor.onEvent(({ type, id }) => {
      if (type === 'restarted' && id === engineKey.id) attach();
    });
    const ids = supervisor.tree().children.map(({ id }) => id);
    expect(ids).toEqual(placement === 'inline' ? ['engine'] : ['compute-1', 'eye-compute-1', 'engine']);
    const kills = ids.map((id, i) => ({ id, at: 1 + 20 * i }));
    const tokens: number[] = [];
    for await (const { tokenIds } of client.generate(request)) {
      tokens.push(...tokenIds);
      const isUp = supervisor.tree().children.every(({ state }) => state === 'running');
      if (isUp && tokens.length >= (kills[0]?.at ?? Infinity)) supervisor.kill(kills.shift()?.id ?? '');
    }
    expect(kills).toEqual([]);
    expect(tokens).toEqual(expected);
  });
});

describe('a client refuses', () => {
  const towers = new Map([['eye', { width: 3, maxRows: 4 }]]);
  const client = new EngineClient({ contextLength: 100, vocabSize: 10, media: { hiddenSize: 2, towers } });
  const good: MediaItem = { at: 1, rows: 2, values: new Float32Array(4), digest: 'ab'.repeat(32) };

  it.each<[string, readonly MediaItem[], string]>([
    ['an item before the prompt', [{ ...good, at: -1 }], 'media[0].at'],
    ['items that overlap', [good, { ...good, at: 2 }], 'media[1].at'],
    ['rows behind the prompt', [{ ...good, at: 5 }], 'media[0].rows'],
    ['no rows', [{ ...good, rows: 0, values: new Float32Array(0) }], 'media[0].rows'],
    ['a digest of another kind', [{ ...good, digest: 'AB' }], 'media[0].digest'],
    ['values that are no whole rows', [{ ...good, values: new Float32Array(5) }], 'media[0].values'],
    ['a value that is no number', [{ ...good, values: Float32Array.of(0, NaN, 0, 0) }], 'media[0].values[1]'],
    ['an unknown tower', [{ ...good, tower: 'ear' }], 'media[0].tower'],
    ['values of another width than the tower’s', [{ ...good, tower: 'eye' }], 'media[0].values'],
    ['more rows than the tower takes', [{ ...good, at: 0, rows: 5, tower: 'eye' }], 'media[0].rows'],
  ])('%s', async (_, media, field) => {
    const request = ask([1, 2, 3, 4, 5, 6], { media });
    await expect(client.generate(request).next()).rejects.toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining(field) as string,
    });
  });

  it('media for a model that takes none', async () => {
    const plain = new EngineClient({ contextLength: 100, vocabSize: 10 });
    await expect(plain.generate(ask([1, 2, 3], { media: [good] })).next()).rejects.toMatchObject({
      code: 'invalid_value',
    });
  });
});
