import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { SampleRule } from '../../src/compute/index.js';
import { EngineCore } from '../../src/engine/engine.js';
import { createWorkMemory, WorkRecord } from '../../src/engine/client/work-record.js';
import type { StepOutput } from '../../src/engine/step-output.js';
import type { GenerateRequest } from '../../src/engine/request.js';
import type { SchedulerLimits } from '../../src/engine/scheduling/scheduler.js';
import { atOnce } from '../support/at-once.js';
import { createTinyModel, type TinyOptions } from '../support/tiny-model.js';

const LIMITS: SchedulerLimits = { maxRows: 64, chunkRows: 64, maxSequences: 16, maxWaiting: 32 };

async function createTinyEngine(limits: Partial<SchedulerLimits> = {}, options: TinyOptions = {}): Promise<EngineCore> {
  const { device, config } = await createTinyModel(options);
  const { contextLength, vocabSize } = config;
  return new EngineCore(device, { contextLength, vocabSize, limits: { ...LIMITS, ...limits } });
}

/** Request `index` of a mixed crowd: other lengths, samplings and seeds. */
function request(index: number, overrides: Partial<GenerateRequest> = {}): GenerateRequest {
  const length = [1, 5, 31, 32, 33, 64, 70, 100][index % 8] as number;
  return {
    promptTokenIds: Array.from({ length }, (_, i) => (index * 31 + i * 17) % 197),
    maxTokens: 20 + index,
    sampling: {
      temperature: index % 2,
      topP: index % 3 === 0 ? 0.9 : 1,
      topK: index % 5 === 0 ? 40 : 0,
      minP: 0,
      seed: index,
    },
    stopTokenIds: [],
    ignoreStop: true,
    ...overrides,
  };
}

/** Runs until nothing is left; tokens and ends by sequence. */
function drain(engine: EngineCore): Map<number, { tokens: number[]; end: string | undefined }> {
  const results = new Map<number, { tokens: number[]; end: string | undefined }>();
  for (let step = 0; engine.hasWork; step++) {
    expect(step).toBeLessThan(10_000);
    const outputs: StepOutput[] = [];
    engine.step(outputs);
    for (const { sequenceId, tokenId, finishReason } of outputs) {
      const result = results.get(sequenceId) ?? { tokens: [], end: undefined };
      results.set(sequenceId, result);
      if (tokenId !== undefined) result.tokens.push(tokenId);
      result.end ??= finishReason;
    }
  }
  expect(engine.stats.freeBlocks).toBe(engine.stats.blocks);
  return results;
}

async function alone(index: number): Promise<number[]> {
  const engine = await createTinyEngine();
  engine.add(1, request(index), []);
  return drain(engine).get(1)?.tokens ?? [];
}

describe('engine', () => {
  let expected: number[][];

  beforeAll(async () => {
    expected = await Promise.all(Array.from({ length: 8 }, (_, index) => alone(index)));
  });

  it('gives each sequence the same tokens in a batch as alone', async () => {
    const engine = await createTinyEngine();
    expected.forEach((_, index) => engine.add(index, request(index), []));
    const results = drain(engine);
    expected.forEach((tokens, index) => expect(results.get(index)).toEqual({ tokens, end: 'length' }));
  });

  it.each([1, 7, 64])('gives the same tokens when prompts go in chunks of %i', async (chunkRows) => {
    const engine = await createTinyEngine({ chunkRows });
    expected.forEach((_, index) => engine.add(index, request(index), []));
    const results = drain(engine);
    expected.forEach((tokens, index) => expect(results.get(index)?.tokens).toEqual(tokens));
  });

  it('preempts the newest sequence when the block pool is empty, without a change of any output', async () => {
    const engine = await createTinyEngine({}, { capacity: { kvBlocks: 9 } });
    expected.forEach((_, index) => engine.add(index, request(index), []));
    const results = drain(engine);
    expected.forEach((tokens, index) => expect(results.get(index)?.tokens).toEqual(tokens));
  });

  it('continues a sequence that another engine has begun with the same tokens', async () => {
    for (const done of [1, 9, 19]) {
      const engine = await createTinyEngine();
      engine.add(1, request(4), (expected[4] as number[]).slice(0, done));
      expect(drain(engine).get(1)?.tokens).toEqual((expected[4] as number[]).slice(done));
    }
  });

  it('ends at a stop id without giving it out, unless stops are ignored', async () => {
    const stop = (expected[2] as number[])[6] as number;
    const first = (expected[2] as number[]).indexOf(stop);
    const engine = await createTinyEngine();
    engine.add(1, request(2, { stopTokenIds: [stop], ignoreStop: false }), []);
    engine.add(2, request(2, { stopTokenIds: [stop] }), []);
    const results = drain(engine);
    expect(results.get(1)).toEqual({ tokens: (expected[2] as number[]).slice(0, first), end: 'stop' });
    expect(results.get(2)).toEqual({ tokens: expected[2], end: 'length' });
  });

  it('ends with length when the context is full', async () => {
    const engine = await createTinyEngine();
    const promptTokenIds = Array.from({ length: 250 }, (_, i) => i % 197);
    engine.add(1, request(0, { promptTokenIds, maxTokens: 1000 }), []);
    expect(drain(engine).get(1)).toMatchObject({ end: 'length', tokens: { length: 6 } });
  });

  it('refuses one sequence more than may run and wait, and takes all of them again after a restart', async () => {
    const limits = { maxSequences: 2, maxWaiting: 2 };
    const engine = await createTinyEngine(limits);
    for (const id of [0, 1]) engine.add(id, request(id), []);
    engine.step([]);
    for (const id of [2, 3]) engine.add(id, request(id), []);
    expect(() => engine.add(4, request(4), [])).toThrow(expect.objectContaining({ code: 'overloaded' }));
    const next = await createTinyEngine(limits);
    for (const id of [0, 1, 2, 3]) next.add(id, request(id), []);
    expect(() => next.add(4, request(4), [])).toThrow(expect.objectContaining({ code: 'overloaded' }));
  });

  it('forgets a cancelled sequence and frees its blocks at once', async () => {
    const engine = await createTinyEngine();
    engine.add(1, request(6), []);
    engine.add(2, request(1), []);
    const outputs: StepOutput[] = [];
    for (let i = 0; i < 5; i++) engine.step(outputs);
    engine.cancel(1);
    engine.cancel(1);
    expect(drain(engine).get(1)).toBeUndefined();
  });

  it('ends a sequence whose logits are broken, and forgets what it computed; others go on', async () => {
    const { device, config } = await createTinyModel();
    let isBroken = true;
    const logits = (index: number): Float32Array => {
      const row = Float32Array.from(device.logits(index));
      if (isBroken) row[5] = NaN;
      return row;
    };
    const sample = (index: number, rule: SampleRule): number => rule.choose(logits(index));
    const { contextLength, vocabSize } = config;
    const engine = new EngineCore({ ...device, logits, sample }, { contextLength, vocabSize, limits: LIMITS });
    // The sampler never sees the broken logit, which is banned; the logprobs do.
    const constraint = { kind: 'automaton', states: [[[7, 0]]] } as const;
    engine.add(1, request(7, { constraint, logprobs: 2 }), []);
    engine.add(2, request(7, { constraint, maxTokens: 1 }), []);
    const outputs: StepOutput[] = [];
    while (engine.hasWork) engine.step(outputs);
    expect(outputs.find(({ sequenceId }) => sequenceId === 1)).toMatchObject({ error: { code: 'numeric_failure' } });
    expect(outputs.find(({ sequenceId }) => sequenceId === 2)).toMatchObject({ tokenId: 7, finishReason: 'length' });
    engine.add(3, request(6), []);
    while (engine.hasWork) engine.step(outputs);
    expect(outputs.at(-1)).toMatchObject({ sequenceId: 3, error: { code: 'numeric_failure' } });
    isBroken = false;
    engine.add(4, request(6, { maxTokens: 1 }), []);
    while (engine.hasWork) engine.step(outputs);
    expect(outputs.at(-1)).toMatchObject({ sequenceId: 4, cachedTokens: 0 });
    expect(engine.stats.freeBlocks).toBe(engine.stats.blocks);
  });

  it('works on a request that it takes in only where it has a constraint: else no death is counted against it', async () => {
    const { device, config } = await createTinyModel();
    const { contextLength, vocabSize } = config;
    const work = new WorkRecord(createWorkMemory(16));
    const engine = new EngineCore(device, { contextLength, vocabSize, limits: LIMITS, work });
    const begin = vi.spyOn(work, 'begin');
    engine.add(1, request(1), []);
    expect(begin).not.toHaveBeenCalled();
    engine.add(2, request(2, { constraint: { kind: 'automaton', states: [[[7, 0]]] } }), []);
    expect(begin.mock.calls).toEqual([[[{ id: 2, numTokens: 31 }]]]);
    expect(work.underWay).toEqual([]);
  });

  it('scores every token of a prompt as generating does', async () => {
    const engine = await createTinyEngine();
    const ids = [...request(7).promptTokenIds, ...(expected[7] as number[])];
    const parts = engine.forward(ids);
    // In the middle of it another has a token.
    parts.next();
    engine.add(9, request(2, { maxTokens: 1 }), []);
    const outputs: StepOutput[] = [];
    while (outputs.length === 0) engine.step(outputs);
    expect(outputs).toMatchObject([{ sequenceId: 9, tokenId: expected[2]?.[0], finishReason: 'length' }]);
    const logits = atOnce(parts);
    expect(engine.stats.freeBlocks).toBe(engine.stats.blocks);
    const greedy = await createTinyEngine();
    const plain = request(7, { sampling: { temperature: 0, topP: 1, topK: 0, minP: 0, seed: 0 } });
    greedy.add(1, plain, []);
    const first = drain(greedy).get(1)?.tokens[0];
    const row = logits.subarray(99 * 197, 100 * 197);
    expect(row.indexOf(Math.max(...row))).toBe(first);
  });

  it('gives the same tokens whether a model lies in one segment or in several', async () => {
    const engine = await createTinyEngine({}, { capacity: { segmentBytes: 900_000 } });
    const { plan } = await createTinyModel({ capacity: { segmentBytes: 900_000 } });
    expect(plan.segments.length).toBeGreaterThan(1);
    expected.forEach((_, index) => engine.add(index, request(index), []));
    const results = drain(engine);
    expected.forEach((tokens, index) => expect(results.get(index)?.tokens).toEqual(tokens));
  });
});
