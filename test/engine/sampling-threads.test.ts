import { describe, expect, it } from 'vitest';
import { randomAt, randomKey } from '../../src/base/index.js';
import {
  Control,
  createControlMemory,
  createDevice,
  createRow,
  openSegments,
} from '../../src/compute/devices/cpu/index.js';
import { createBatch } from '../../src/compute/index.js';
import { TokenSampler, type SamplingState } from '../../src/engine/sampling/token-sampler.js';
import { samplers } from '../../src/engine/sampling/samplers/index.js';
import { resolveSampling, type Sampling } from '../../src/engine/sampling/sampling.js';
import { createTinyModel } from '../support/tiny-model.js';
import { startTinyThreadGroup } from '../support/tiny-thread-group.js';
import { plainSample } from './sampling-twin.js';

/** Enough that three threads share a row. */
const LARGE = 40_000;

function toState(request: Partial<Sampling>, seed: number): SamplingState {
  return {
    sampling: resolveSampling({ temperature: 1, seed: 0, ...request }),
    tokenIds: [5, 70, 5, 30_000],
    promptLength: 1,
    randomKey: randomKey(seed),
    stopTokenIds: new Set([3]),
    breakers: new Set(),
  };
}

const normal = (i: number, spread: number): number =>
  spread * Math.sqrt(-2 * Math.log(1 - randomAt(7n, 2 * i))) * Math.cos(2 * Math.PI * randomAt(7n, 2 * i + 1));

/** Rows of every kind: nearly all can come, few can, many are equal, most cannot. */
const rows: Record<string, (i: number) => number> = {
  flat: (i) => normal(i, 0.5),
  unsure: (i) => normal(i, 2.5) + (i % 18_911 === 3 ? 11 : 0),
  confident: (i) => (i === 20_010 ? 40 : normal(i, 2)),
  equal: () => 2.5,
  'of two values': (i) => 1 + (i % 2),
  'mostly banned': (i) => (i % 1_000 === 999 ? normal(i, 3) : -Infinity),
};

/** The logits of each kind for the longest row: a shorter one has the first of them. */
const longest = Object.fromEntries(
  Object.entries(rows).map(([shape, logit]) => [shape, Float32Array.from({ length: LARGE + 7 }, (_, i) => logit(i))]),
);

const requests: Record<string, Partial<Sampling>> = {
  greedy: { temperature: 0 },
  temperature: {},
  'top-k': { topK: 5_000 },
  'top-k, then top-p': { topK: 40, topP: 0.9 },
  'top-p': { topP: 0.95, temperature: 0.7 },
  typical: { typicalP: 0.9 },
  'typical, then top-p': { typicalP: 0.9, topP: 0.95 },
  'all rules': { topK: 30_000, typicalP: 0.95, topP: 0.97, minP: 0.01, xtc: { probability: 1, threshold: 0.0001 } },
  penalties: { repetitionPenalty: 1.3, repeatLastN: -1, presencePenalty: 0.5, logitBias: [[39_000, 3]] },
};

describe.each([
  { threads: 2, vocabSize: LARGE },
  { threads: 3, vocabSize: LARGE },
  // No whole number of blocks: the row is copied.
  { threads: 3, vocabSize: LARGE + 7 },
])('$threads threads that share a row of $vocabSize', ({ threads, vocabSize }) => {
  it('choose the tokens and give the logprobs that one thread does', async () => {
    await using threadGroup = await startTinyThreadGroup({
      threads,
      config: { vocab_size: vocabSize },
      capacity: { kvBlocks: 4 },
    });
    const { device, plan } = threadGroup;
    const batch = createBatch(plan);
    batch.rows = batch.numLogitRows = 1;
    batch.blockTables = [[0]];
    const shared = new TokenSampler(samplers, device.row);
    const alone = new TokenSampler(samplers, createRow(vocabSize));
    const allowed = Uint32Array.from(
      { length: Math.ceil(vocabSize / 32) },
      (_, i) => [0xffff_ffff, 0x0f0f_0f0f, 0][i % 3] ?? 0,
    );
    for (const [shape, values] of Object.entries(longest)) {
      // Each step takes another part of the thread group.
      device.run(batch);
      const logits = device.logits(0);
      logits.set(values.subarray(0, vocabSize));
      const before = logits.slice();
      for (const [rule, request] of Object.entries(requests)) {
        for (const seed of [1, 2, 3]) {
          const state = toState(request, seed);
          const about = `${shape}, ${rule}`;
          expect(shared.sample(logits, state), about).toBe(alone.sample(before, state));
          expect(shared.sample(logits, state, allowed), about).toBe(alone.sample(before, state, allowed));
        }
      }
      expect(shared.logprobs(logits, 7, 20), shape).toEqual(alone.logprobs(before, 7, 20));
      expect(Buffer.from(logits.slice().buffer).equals(Buffer.from(before.buffer))).toBe(true);
      logits[vocabSize - 1] = NaN;
      expect(() => shared.sample(logits, toState({}, 1))).toThrow('not finite');
    }
    expect([...threadGroup.stepsBySize.values()].every((steps) => steps > 1)).toBe(true);
  });
});

describe('a row shared by three threads', () => {
  it('gives the token of the plain samplers', async () => {
    await using threadGroup = await startTinyThreadGroup({
      threads: 3,
      config: { vocab_size: LARGE },
      capacity: { kvBlocks: 4 },
    });
    const batch = createBatch(threadGroup.plan);
    batch.rows = batch.numLogitRows = 1;
    batch.blockTables = [[0]];
    threadGroup.device.run(batch);
    const sampler = new TokenSampler(samplers, threadGroup.device.row);
    const logits = threadGroup.device.logits(0);
    for (const request of [{}, { typicalP: 0.9, topP: 0.95 }, { topK: 5_000 }, { temperature: 0.7, topP: 0.95 }]) {
      const state = toState(request, 4);
      expect(sampler.sample(logits, state)).toBe(plainSample(logits, state));
    }
  });
});

describe('sampling on a thread group that is stopped in the middle of it', () => {
  it('ends with compute_stopped, and is the same on the next thread group', async () => {
    const { graph, plan, memories, kernels } = await createTinyModel({
      threads: 2,
      config: { vocab_size: LARGE },
      capacity: { kvBlocks: 4 },
    });
    const control = new Control(createControlMemory(2));
    const segments = openSegments(kernels, memories);
    const bothThreads = { begin: () => {}, choose: () => 2, learn: () => {} };
    const broken = createDevice(graph, plan, segments, control, bothThreads);
    const batch = createBatch(plan);
    batch.rows = batch.numLogitRows = 1;
    batch.blockTables = [[0]];
    // Its other thread died: the supervisor reports it, and the barrier never opens.
    control.stop();
    expect(() => broken.run(batch)).toThrow('stopped');
    const logits = broken.logits(0);
    logits.set(Float32Array.from({ length: LARGE }, (_, i) => normal(i, 1)));
    const state = toState({ typicalP: 0.9, topP: 0.95 }, 1);
    expect(() => new TokenSampler(samplers, broken.row).sample(logits, state)).toThrow('stopped');

    const next = createDevice(graph, plan, segments);
    const alone = new TokenSampler(samplers, createRow(LARGE));
    expect(new TokenSampler(samplers, next.row).sample(next.logits(0), state)).toBe(
      alone.sample(logits.slice(), state),
    );
  });
});
