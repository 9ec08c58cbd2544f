import { beforeAll, describe, expect, it } from 'vitest';
import { tensorView } from '../../src/compute/devices/cpu/index.js';
import { devices, type Device } from '../../src/compute/index.js';
import { EngineCore, type EngineSettings } from '../../src/engine/engine.js';
import type { StepOutput } from '../../src/engine/step-output.js';
import { scoring, type GenerateRequest } from '../../src/engine/request.js';
import { unpackMatrix } from '../../src/weights/index.js';
import { atOnce } from '../support/at-once.js';
import { createTinyModel, type TinyModel } from '../support/tiny-model.js';

const LENGTHS = [1, 2, 31, 32, 33, 64, 100, 256];

function ids(index: number): number[] {
  return Array.from({ length: LENGTHS[index] as number }, (_, i) => (index * 31 + i * 17) % 197);
}

function embedding(index: number, overrides: Partial<GenerateRequest> = {}): GenerateRequest {
  return { ...scoring(ids(index)), pooling: 'mean', ...overrides };
}

function conversation(index: number): GenerateRequest {
  return { ...scoring(ids(index).slice(0, 200)), maxTokens: 20, sampling: { temperature: 1, seed: index } };
}

/** A model, of whose device something may be watched or broken. */
type Embedder = Pick<TinyModel, 'config'> & { readonly device: Device };

function createEngine(
  { device, config }: Embedder,
  limits: Partial<EngineSettings['limits']> = {},
  settings: Partial<EngineSettings> = {},
): EngineCore {
  const { contextLength, vocabSize } = config;
  const all = { maxRows: 64, chunkRows: 64, maxSequences: 16, maxWaiting: 32, ...limits };
  return new EngineCore(device, { contextLength, vocabSize, limits: all, ...settings });
}

/** Everything that comes until nothing is left; every block is free then. */
function drain(engine: EngineCore): StepOutput[] {
  const outputs: StepOutput[] = [];
  for (let step = 0; engine.hasWork; step++) {
    expect(step).toBeLessThan(10_000);
    engine.step(outputs);
  }
  expect(engine.stats.freeBlocks).toBe(engine.stats.blocks);
  return outputs;
}

function embed(model: Embedder, request: GenerateRequest, limits: Partial<EngineSettings['limits']> = {}): number[] {
  const engine = createEngine(model, limits);
  engine.add(1, request, []);
  const [output, ...others] = drain(engine);
  expect(others).toEqual([]);
  expect(output).toMatchObject({ sequenceId: 1, finishReason: 'length' });
  return [...(output?.embedding ?? [])];
}

function tokensOf(outputs: readonly StepOutput[], id: number): (number | undefined)[] {
  return outputs.filter(({ sequenceId }) => sequenceId === id).map(({ tokenId }) => tokenId);
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] as number))), 0);
}

/** The output matrix times `vector`, by hand. */
function toLogits({ plan, memories, config }: TinyModel, vector: readonly number[]): number[] {
  const tensor = plan.tensors['embedding'];
  if (tensor === undefined) throw new Error('a tied model has an embedding');
  const { rows, columns } = tensor;
  const matrix = unpackMatrix(
    'f32',
    tensorView(plan, memories, 'embedding', devices.cpu.layout.bytes(tensor)),
    rows,
    columns,
  );
  expect(rows).toBe(config.vocabSize);
  return Array.from({ length: rows }, (_, row) =>
    vector.reduce((sum, value, column) => sum + value * (matrix[row * columns + column] as number), 0),
  );
}

describe('an embedding', () => {
  let model: TinyModel;
  let alone: number[][];

  beforeAll(async () => {
    model = await createTinyModel({ capacity: { kvBlocks: 200 } });
    alone = LENGTHS.map((_, index) => embed(model, embedding(index)));
  });

  it.each(['reference', 'wasm'] as const)(
    'is what the output matrix makes the mean of all logits of, on %s',
    async (kernels) => {
      const exact = await createTinyModel({ kernels, quant: 'f32' });
      const logits = atOnce(createEngine(exact).forward(ids(6)));
      const { vocabSize } = exact.config;
      const mean = Array.from({ length: vocabSize }, (_, token) => {
        const column = Array.from({ length: 100 }, (__, row) => logits[row * vocabSize + token] as number);
        return column.reduce((sum, logit) => sum + logit, 0) / 100;
      });
      const scale = Math.max(...mean.map(Math.abs));
      expect(scale).toBeGreaterThan(0.1);
      expect(largestDifference(toLogits(exact, embed(exact, embedding(6))), mean) / scale).toBeLessThan(1e-5);
    },
  );

  it('is the same on reference and wasm', async () => {
    const [reference, wasm] = await Promise.all(
      (['reference', 'wasm'] as const).map((kernels) => createTinyModel({ kernels, quant: 'f32' })),
    );
    for (const index of [0, 1, 4, 5]) {
      const expected = embed(reference as TinyModel, embedding(index));
      const scale = Math.max(...expected.map(Math.abs));
      const found = embed(wasm as TinyModel, embedding(index));
      expect(largestDifference(found, expected) / scale).toBeLessThan(1e-4);
    }
  });

  it.each([1, 7, 64])('has the same bits in chunks of %i, beside others and when blocks run out', async (chunkRows) => {
    const tight = await createTinyModel({ capacity: { kvBlocks: 11 } });
    for (const crowd of [model, tight]) {
      const engine = createEngine(crowd, { chunkRows });
      alone.forEach((_, index) => {
        engine.add(index, embedding(index), []);
        engine.add(100 + index, conversation(index), []);
      });
      const outputs = drain(engine);
      alone.forEach((expected, index) => {
        const vectors = outputs.filter(({ sequenceId }) => sequenceId === index);
        expect(vectors.map((one) => [...(one.embedding ?? [])])).toEqual([expected]);
        const single = createEngine(model);
        single.add(1, conversation(index), []);
        expect(tokensOf(outputs, 100 + index)).toEqual(tokensOf(drain(single), 1));
      });
    }
  });

  it('has the same bits whether a model lies in one segment or in several', async () => {
    const spread = await createTinyModel({ capacity: { segmentBytes: 900_000 } });
    expect(spread.plan.segments.length).toBeGreaterThan(1);
    expect(embed(spread, embedding(7))).toEqual(alone[7]);
  });

  it('fills the whole context, and the whole cache', async () => {
    const small = await createTinyModel({ capacity: { kvBlocks: 8 } });
    expect(small.config.contextLength).toBe(256);
    expect(embed(small, embedding(7))).toEqual(alone[7]);
  });

  it('feeds the prefix cache and does not read it', () => {
    const engine = createEngine(model);
    engine.add(1, conversation(7), []);
    drain(engine);
    engine.add(2, embedding(7), []);
    expect([...(drain(engine)[0]?.embedding ?? [])]).toEqual(alone[7]);
    engine.add(3, { ...scoring([...ids(7).slice(0, 250), 1]) }, []);
    expect(drain(engine)[0]?.cachedTokens).toBe(224);
  });

  it('goes on where it was after a preemption, and counts nothing twice', async () => {
    const tight = await createTinyModel({ capacity: { kvBlocks: 10 } });
    let rows = 0;
    const device: Device = {
      ...tight.device,
      run(batch) {
        rows += batch.rows;
        tight.device.run(batch);
      },
    };
    const engine = createEngine({ ...tight, device }, { chunkRows: 1, adaptChunks: false }, { speculation: false });
    engine.add(1, { ...scoring(ids(6).slice(0, 17)), maxTokens: 150 }, []);
    for (let step = 0; step < 17; step++) engine.step([]);
    engine.add(2, embedding(7), []);
    // The conversation's sixth block is the eleventh, when 143 tokens are summed: the last fifteen lie in no full block.
    for (let step = 0; step < 144; step++) engine.step([]);
    expect(engine.stats).toMatchObject({ running: 1, waiting: 1 });
    const output = drain(engine).find(({ sequenceId }) => sequenceId === 2);
    expect([...(output?.embedding ?? [])]).toEqual(alone[7]);
    expect(rows).toBe(17 + 149 + 256 + 15);
  });

  it('asks for no logits', () => {
    const wanted: number[] = [];
    const device: Device = {
      ...model.device,
      run(batch) {
        wanted.push(batch.numLogitRows);
        model.device.run(batch);
      },
    };
    expect(embed({ ...model, device }, embedding(7))).toEqual(alone[7]);
    expect(wanted).toEqual([0, 0, 0, 0]);
  });

  it('frees its blocks when it is cancelled, in the middle and while it waits', () => {
    const engine = createEngine(model, { chunkRows: 7, maxSequences: 1 });
    engine.add(1, embedding(7), []);
    engine.add(2, embedding(6), []);
    for (let i = 0; i < 5; i++) engine.step([]);
    expect(engine.stats).toMatchObject({ running: 1, waiting: 1 });
    expect(engine.stats.freeBlocks).toBeLessThan(engine.stats.blocks);
    engine.cancel(1);
    engine.cancel(2);
    expect(engine.stats).toMatchObject({ running: 0, waiting: 0 });
    expect(drain(engine)).toEqual([]);
  });

  it('ends at its deadline', () => {
    let nowMs = 0;
    const clock = { nowMs: () => nowMs, unixSeconds: () => 0, after: () => () => {} };
    const engine = createEngine(model, { chunkRows: 7 }, { clock });
    engine.add(1, embedding(7, { deadlineMs: 100 }), []);
    engine.step([]);
    nowMs = 100;
    expect(drain(engine)).toMatchObject([{ sequenceId: 1, error: { code: 'deadline_exceeded' } }]);
  });

  it('ends with numeric_failure when it is not finite, and others go on', () => {
    const nan = new Float32Array(72).fill(NaN);
    const device: Device = { ...model.device, hidden: () => nan };
    const engine = createEngine({ ...model, device });
    engine.add(1, embedding(3), []);
    engine.add(2, conversation(3), []);
    const outputs = drain(engine);
    expect(outputs.find(({ sequenceId }) => sequenceId === 1)).toMatchObject({ error: { code: 'numeric_failure' } });
    expect(tokensOf(outputs, 2)).toHaveLength(20);
  });
});
