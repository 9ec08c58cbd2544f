import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomAt, randomKey } from '../../src/base/index.js';
import { createRow, setKernelFlags } from '../../src/compute/devices/cpu/index.js';
import { TokenSampler, type SamplingState } from '../../src/engine/sampling/token-sampler.js';
import { samplers } from '../../src/engine/sampling/samplers/index.js';
import { resolveSampling, type Sampling } from '../../src/engine/sampling/sampling.js';
import { halvingScale } from '../../src/engine/sampling/candidates.js';
import {
  plainCandidates,
  plainNearest,
  plainSample,
  plainTypical,
  plainWeight,
  stepsAHalving,
  type Candidate,
} from './sampling-twin.js';

// As in an engine: where V8 joins vectors, the bits must stay the same.
setKernelFlags();

/** Several blocks of a row, and no multiple of a block, of a word of a mask or of a vector. */
const VOCAB_SIZE = 701;

const tokenId = fc.nat(VOCAB_SIZE - 1);
/** Ties, bans, numbers at the edge of f32, and ordinary ones. */
const logit = fc.oneof(
  { weight: 6, arbitrary: fc.float({ min: -30, max: 30, noNaN: true }) },
  { weight: 3, arbitrary: fc.integer({ min: -4, max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(-Infinity, -3.4028234663852886e38, 1e-40, -0, 0) },
);
const ordinary = fc.array(logit, { minLength: VOCAB_SIZE, maxLength: VOCAB_SIZE });
const odd = fc.oneof(
  fc.constant(Array.from({ length: VOCAB_SIZE }, () => 2.5)),
  fc.array(fc.constantFrom(1, 2), { minLength: VOCAB_SIZE, maxLength: VOCAB_SIZE }),
  fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: VOCAB_SIZE, maxLength: VOCAB_SIZE }),
  tokenId.map((id) => Array.from({ length: VOCAB_SIZE }, (_, i) => (i === id ? 1 : -Infinity))),
  // Different logits that are equally far from the largest, once that is rounded.
  fc
    .tuple(tokenId, fc.array(fc.integer({ min: 0, max: 9 }), { minLength: VOCAB_SIZE, maxLength: VOCAB_SIZE }))
    .map(([id, steps]) => steps.map((step, i) => (i === id ? 8 : 1e-3 + step * 1e-7))),
);
const logits = fc
  .oneof({ weight: 4, arbitrary: ordinary }, { weight: 1, arbitrary: odd })
  .filter((row) => row.some((value) => value > -Infinity))
  .map((row) => Float32Array.from(row));

/** Ordinary ones, and so small that weights near 1 decide. */
const share = fc.oneof(
  { weight: 4, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ min: 1, max: 12, noNaN: true }).map((digits) => 10 ** -digits) },
);
const sampling: fc.Arbitrary<Sampling> = fc.record(
  {
    temperature: fc.oneof(fc.constantFrom(0, 1, 0.7, 1e-9, 100), fc.double({ min: 0, max: 2, noNaN: true })),
    seed: fc.integer(),
    topK: fc.oneof(fc.integer({ min: -1, max: 50 }), fc.nat(2 * VOCAB_SIZE)),
    topP: share,
    minP: share,
    typicalP: share,
    logitBias: fc.array(
      fc.tuple(tokenId, fc.oneof(fc.constant(-Infinity), fc.double({ min: -100, max: 100, noNaN: true }))),
    ),
    minTokens: fc.nat(20),
    repetitionPenalty: fc.double({ min: 0.1, max: 3, noNaN: true }),
    repeatLastN: fc.integer({ min: -1, max: 40 }),
    presencePenalty: fc.double({ min: -2, max: 2, noNaN: true }),
    frequencyPenalty: fc.double({ min: -2, max: 2, noNaN: true }),
    dry: fc.record({
      multiplier: fc.double({ min: 0, max: 3, noNaN: true }),
      base: fc.double({ min: 1, max: 3, noNaN: true }),
      allowedLength: fc.nat(3),
      penaltyLastN: fc.integer({ min: -1, max: 40 }),
      breakerIds: fc.array(fc.nat(5), { maxLength: 2 }),
    }),
    xtc: fc.record({ probability: share, threshold: share.map((threshold) => 0.6 * threshold) }),
  },
  { requiredKeys: ['temperature', 'seed'] },
);
/** Few different tokens, so that much is repeated. */
const history = fc.array(fc.oneof(fc.nat(5), tokenId), { minLength: 1, maxLength: 60 });

function toState(request: Sampling, tokenIds: number[], promptLength: number, key: number): SamplingState {
  const resolved = resolveSampling(request);
  return {
    sampling: resolved,
    tokenIds,
    promptLength: Math.min(promptLength, tokenIds.length),
    randomKey: randomKey(key),
    stopTokenIds: new Set([3, VOCAB_SIZE - 1]),
    breakers: new Set(resolved.dry.breakerIds),
  };
}

/** Places of the stream that are compared for each row. */
const KEYS = [1, 2, 3, 4, 5, 6];

describe.each([1, 2, 3])('token sampler, its row in %i parts, and its slow twin', (parts) => {
  const sampler = new TokenSampler(samplers, createRow(VOCAB_SIZE, parts));

  it('choose the same token for any logits, sampling and history', () => {
    fc.assert(
      fc.property(logits, sampling, history, fc.nat(60), (row, request, tokenIds, promptLength) => {
        const before = row.slice();
        for (const key of KEYS) {
          const state = toState(request, tokenIds, promptLength, key);
          expect(sampler.sample(row, state)).toBe(plainSample(row, state));
        }
        expect(row).toEqual(before);
      }),
      { numRuns: 600 },
    );
  });

  it.each([
    ['typical', fc.record({ typicalP: share })],
    ['top-p', fc.record({ topP: share })],
    ['top-k', fc.record({ topK: fc.integer({ min: 1, max: VOCAB_SIZE }) })],
    ['min-p', fc.record({ minP: share })],
    [
      'xtc',
      fc.record({
        xtc: fc.record({ probability: fc.constant(1), threshold: share.map((threshold) => 0.3 * threshold) }),
      }),
    ],
    ['no sampler', fc.record({})],
  ])('choose the same token with %s alone', (_, alone) => {
    fc.assert(
      fc.property(logits, alone, fc.constantFrom(0.3, 1, 1.7), (row, request, temperature) => {
        for (const key of KEYS) {
          const state = toState({ ...request, temperature, seed: 0 }, [1], 1, key);
          expect(sampler.sample(row, state)).toBe(plainSample(row, state));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('choose the same token under a mask, which no bias breaks', () => {
    const mask = fc.array(tokenId, { minLength: 1, maxLength: 40 }).map((ids) => {
      const words = new Uint32Array(Math.ceil(VOCAB_SIZE / 32));
      for (const id of ids) words[id >> 5] = (words[id >> 5] as number) | (1 << (id & 31));
      return words;
    });
    const finite = ordinary.map((row) => Float32Array.from(row, (value) => (value === -Infinity ? -5 : value)));
    fc.assert(
      fc.property(finite, sampling, history, mask, (row, request, tokenIds, allowed) => {
        const banned = Array.from({ length: VOCAB_SIZE }, (_, id): [number, number] => [id, -Infinity]);
        for (const logitBias of [request.logitBias ?? [], banned]) {
          const state = toState({ ...request, logitBias }, tokenIds, 5, 9);
          const id = sampler.sample(row, state, allowed);
          expect(((allowed[id >> 5] as number) >>> (id & 31)) & 1).toBe(1);
          expect(id).toBe(plainSample(row, state, allowed));
        }
      }),
    );
  });

  it('take as equal what is equally far from the largest once that is rounded, in whichever block it is', () => {
    const row = new Float32Array(VOCAB_SIZE).fill(-5);
    row.set([8], VOCAB_SIZE - 1);
    row.set([1e-3], 5);
    row.set([1e-3 + 2e-8], 300);
    expect(row[300]).toBeGreaterThan(row[5] as number);
    for (let key = 0; key < 20; key++) {
      const state = toState({ temperature: 100, seed: 0, topK: 2 }, [1], 1, key);
      expect([5, VOCAB_SIZE - 1]).toContain(plainSample(row, state));
      expect(sampler.sample(row, state)).toBe(plainSample(row, state));
    }
  });

  it('choose the same token where weights are rounded to a few units', () => {
    const row = Float32Array.from({ length: VOCAB_SIZE }, (_, id) =>
      id === 9 ? 0 : (-31.5 - (id % 60) / 40) * Math.LN2,
    );
    for (const threshold of [1e-11, 1e-10, 2e-10, 3e-10, 1e-9, 1e-8]) {
      for (let key = 0; key < 20; key++) {
        const state = toState({ temperature: 1, seed: 0, xtc: { probability: 1, threshold } }, [1], 1, key);
        expect(sampler.sample(row, state)).toBe(plainSample(row, state));
      }
    }
  });

  it('choose the same token out of a large vocabulary', () => {
    const size = 20_011;
    const large = new TokenSampler(samplers, createRow(size, Math.min(parts, Math.ceil(size / 64))));
    const rows = [1, 4].map((spread) =>
      Float32Array.from({ length: size }, (_, i) => spread * Math.sin(i * 12.9898) * 3),
    );
    const requests: Partial<Sampling>[] = [
      {},
      { topP: 0.97 },
      { typicalP: 0.9 },
      { topK: 40, topP: 0.9 },
      { topK: 5_000 },
      { minP: 0.3, xtc: { probability: 1, threshold: 1e-4 } },
      { typicalP: 0.7, topP: 0.6, minP: 0.1 },
    ];
    for (const row of rows) {
      for (const request of requests) {
        const state = toState({ temperature: 1, seed: 0, ...request }, [1], 1, 77);
        expect(large.sample(row, state)).toBe(plainSample(row, state));
      }
    }
  });

  it.each([1, 2, 3, 4, 5, 31, 63, 64, 65, 127, 128, 129])('choose the same token out of %i', (size) => {
    const small = new TokenSampler(samplers, createRow(size, Math.min(parts, Math.ceil(size / 64))));
    const rows = fc.array(fc.oneof(fc.float({ min: -9, max: 9, noNaN: true }), fc.constantFrom(1, -Infinity)), {
      minLength: size,
      maxLength: size,
    });
    const neutral = sampling.map((request) => ({ ...request, logitBias: [], minTokens: 0 }));
    fc.assert(
      fc.property(rows, neutral, fc.nat(size - 1), fc.nat(), (row, request, sure, bits) => {
        const own = Float32Array.from(row, (value, id) => (id === sure ? 0.5 : value));
        const allowed = Uint32Array.from({ length: Math.ceil(size / 32) }, (_, word) => (bits * (word + 1)) >>> 0);
        allowed[sure >> 5] = (allowed[sure >> 5] as number) | (1 << (sure & 31));
        const state = toState(request, [0], 1, bits);
        expect(small.sample(own, state)).toBe(plainSample(own, state));
        expect(small.sample(own, state, allowed)).toBe(plainSample(own, state, allowed));
      }),
      { numRuns: 40 },
    );
  });

  it.each([NaN, Infinity])('refuse %s wherever it stands', (wrong) => {
    for (const id of [0, 1, 2, 3, 4, 7, 63, 64, VOCAB_SIZE - 2, VOCAB_SIZE - 1]) {
      const row = new Float32Array(VOCAB_SIZE).fill(-3);
      row[id] = wrong;
      for (const temperature of [0, 1]) {
        const state = toState({ temperature, seed: 0, topK: 5 }, [1], 1, 1);
        expect(() => sampler.sample(row, state)).toThrow('not finite');
      }
      expect(() => sampler.logprobs(row, 0, 3)).toThrow('not finite');
    }
  });
});

describe('buckets of tokens', () => {
  const memory = createRow(VOCAB_SIZE, 3);
  const counts = new Int32Array(memory.values.buffer, memory.kernels.countsAt(memory.at, memory.size, 0));
  const temperatures = fc.oneof(fc.constantFrom(1, 1e-9, 100), fc.double({ min: 0.01, max: 3, noNaN: true }));
  const steps = stepsAHalving(VOCAB_SIZE);

  it('have the tokens and the weight of the plain formula, bit for bit', () => {
    fc.assert(
      fc.property(logits, temperatures, (row, temperature) => {
        memory.values.set(row);
        const max = memory.maxima();
        expect(max).toBe(Math.max(...row));
        const { tokens, end } = memory.fillBuckets(max, halvingScale(temperature) * steps, -Infinity);
        const expected = plainCandidates([...row], temperature);
        expect(tokens).toBe(expected.length);
        const buckets = new Map<number, Candidate[]>();
        for (const one of expected) buckets.set(one.bucket, [...(buckets.get(one.bucket) ?? []), one]);
        for (let bucket = 0; bucket < end; bucket++) {
          const own = buckets.get(bucket) ?? [];
          buckets.delete(bucket);
          expect(counts[bucket]).toBe(own.length);
          expect(memory.masses[bucket]).toBe(own.reduce((sum, { unit }) => sum + unit, 0));
          if (own.length === 0) continue;
          const count = memory.listBucket(max, halvingScale(temperature) * steps, bucket);
          expect([...memory.ids.subarray(0, count)]).toEqual(own.map(({ id }) => id));
          expect([...memory.list.subarray(0, count)]).toEqual(own.map((one) => one.steps));
        }
        expect(buckets.size).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('are counted anew after an unfinished count', () => {
    memory.values.fill(1, 0, VOCAB_SIZE);
    memory.run('countBuckets', 1, 100, -Infinity);
    memory.values.fill(0, 1, VOCAB_SIZE);
    expect(memory.fillBuckets(memory.maxima(), 64, -Infinity).tokens).toBe(VOCAB_SIZE);
    expect([counts[0], counts[64]]).toEqual([1, VOCAB_SIZE - 1]);
  });
});

describe('weights of tokens', () => {
  const { kernels } = createRow(VOCAB_SIZE);

  it('are the exponential of the logit, within a few parts in ten million', () => {
    for (let distance = 0; distance < 26; distance += 0.0137) {
      const exact = 2 ** 33 * Math.exp(-distance);
      const halvings = Math.fround(Math.fround(distance) * halvingScale(1));
      const weight = kernels.weightOf(halvings);
      expect(weight).toBe(plainWeight(halvings));
      // Rounded to a whole number; the distance and its product are rounded to f32 first.
      expect(Math.abs(weight - exact)).toBeLessThanOrEqual(0.5 + exact * 2e-7 * (1 + distance));
    }
  });

  it.each([VOCAB_SIZE, 20_011])(
    'cut off what textbook sums of a vocabulary of %i do, to one part in a hundred',
    (size) => {
      fc.assert(
        fc.property(fc.nat(), fc.double({ min: 0.2, max: 6, noNaN: true }), share, (seed, spread, p) => {
          const key = randomKey(seed);
          const row = Array.from({ length: size }, (_, i) => Math.fround(spread * 4 * (randomAt(key, i) - 0.5)));
          const exact = row.map((value) => Math.exp(value));
          const all = exact.reduce((sum, weight) => sum + weight, 0);
          const surprise = exact.reduce((sum, weight) => sum - (weight / all) * Math.log(weight / all), 0);
          const candidates = plainCandidates(row, 1);
          const kept = plainNearest(candidates, 0, p).map(({ id }) => exact[id] as number);
          expect(kept.toSorted((a, b) => b - a)).toEqual(exact.toSorted((a, b) => b - a).slice(0, kept.length));
          const mass = kept.reduce((sum, weight) => sum + weight, 0);
          expect(mass / all).toBeGreaterThan(p * 0.99 - 1e-9);
          expect((mass - Math.min(...kept)) / all).toBeLessThanOrEqual(p * 1.01);
          const typical = plainTypical(candidates, p).map(({ id }) => exact[id] as number);
          const distance = (weight: number): number => Math.abs(-Math.log(weight / all) - surprise);
          const furthest = Math.max(...typical.map(distance));
          const nearer = exact.filter((weight) => distance(weight) < furthest - 0.03);
          expect(typical.length).toBeGreaterThanOrEqual(nearer.length);
        }),
        { numRuns: 20 },
      );
    },
  );
});

describe('logprobs', () => {
  const sampler = new TokenSampler(samplers, createRow(VOCAB_SIZE));

  it('are the log-softmax of the logits, the likeliest first and of equal ones the lowest id', () => {
    fc.assert(
      fc.property(logits, tokenId, fc.nat(20), (row, id, numTop) => {
        const max = Math.max(...row);
        const logSum = Math.log(row.reduce((total, value) => total + Math.exp(value - max), 0));
        const { logprob, top } = sampler.logprobs(row, id, numTop);
        const expected = (row[id] as number) - max - logSum;
        expect(
          Math.abs(logprob - expected) <= 1e-6 * Math.max(1, Math.abs(expected)) || logprob === Math.fround(expected),
        ).toBe(true);
        const order = Array.from(row.keys())
          .filter((other) => row[other] !== -Infinity)
          .toSorted((a, b) => (row[b] as number) - (row[a] as number) || a - b);
        const likely = order.slice(0, numTop).filter((other) => sampler.logprobs(row, other, 0).logprob > -Infinity);
        expect(top.map((one) => one.tokenId)).toEqual(likely);
        for (const one of top) expect(one.logprob).toBe(sampler.logprobs(row, one.tokenId, 0).logprob);
      }),
    );
  });

  it('are of the model, whatever was sampled with', () => {
    const row = Float32Array.from({ length: VOCAB_SIZE }, (_, i) => Math.sin(i));
    const before = sampler.logprobs(row, 5, 3);
    sampler.sample(row, toState({ temperature: 0.2, seed: 1, logitBias: [[5, 100]] }, [5, 5], 1, 1));
    expect(sampler.logprobs(row, 5, 3)).toEqual(before);
  });
});
