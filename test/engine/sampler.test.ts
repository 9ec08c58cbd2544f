import { describe, expect, it } from 'vitest';
import { randomKey } from '../../src/base/index.js';
import { Candidates } from '../../src/engine/candidates.js';
import { TokenSampler } from '../../src/engine/sampler.js';
import { samplers } from '../../src/engine/samplers/index.js';

const plain = { temperature: 1, topP: 1, topK: 0, minP: 0, seed: 0 };

/** How often each of `logits` is drawn in `draws` places of one stream. */
function frequencies(logits: number[], sampling: Partial<typeof plain>, draws = 20_000): number[] {
  const sampler = new TokenSampler(samplers, logits.length);
  const counts = logits.map(() => 0);
  const key = randomKey(7);
  for (let i = 0; i < draws; i++) {
    const id = sampler.sample(Float32Array.from(logits), { ...plain, ...sampling }, key, i);
    counts[id] = (counts[id] as number) + 1;
  }
  return counts.map((count) => count / draws);
}

function softmax(logits: number[]): number[] {
  const weights = logits.map((logit) => Math.exp(logit));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

function expectClose(actual: number[], expected: number[]): void {
  expected.forEach((value, i) => expect(Math.abs((actual[i] as number) - value)).toBeLessThan(0.015));
}

describe('token sampler', () => {
  it('takes the lowest id of the largest logit when the temperature is 0', () => {
    const sampler = new TokenSampler(samplers, 4);
    expect(sampler.sample(Float32Array.from([1, 3, 3, 2]), { ...plain, temperature: 0 }, 1n, 0)).toBe(1);
  });

  it('draws by softmax', () => expectClose(frequencies([0, 1, 2], {}), softmax([0, 1, 2])));

  it('divides logits by the temperature', () =>
    expectClose(frequencies([0, 1, 2], { temperature: 0.5 }), softmax([0, 2, 4])));

  it('keeps the k most likely, of equal ones the lowest ids', () => {
    expectClose(frequencies([0, 2, 1, 2], { topK: 2 }), [0, 0.5, 0, 0.5]);
    expectClose(frequencies([1, 1, 1, 1], { topK: 2 }), [0.5, 0.5, 0, 0]);
  });

  it('keeps the fewest that reach topP, at least one', () => {
    const logits = [Math.log(0.5), Math.log(0.3), Math.log(0.15), Math.log(0.05)];
    expectClose(frequencies(logits, { topP: 0.75 }), [0.625, 0.375, 0, 0]);
    expectClose(frequencies(logits, { topP: 0 }), [1, 0, 0, 0]);
  });

  it('drops what is less likely than minP times the likeliest', () => {
    const logits = [Math.log(0.5), Math.log(0.3), Math.log(0.15), Math.log(0.05)];
    expectClose(frequencies(logits, { minP: 0.25 }), [0.5 / 0.95, 0.3 / 0.95, 0.15 / 0.95, 0]);
  });

  it('gives the same token for the same key and place, and another stream for another seed', () => {
    const sampler = new TokenSampler(samplers, 50);
    const logits = Float32Array.from({ length: 50 }, (_, i) => Math.sin(i));
    const draw = (seed: number): number[] =>
      Array.from({ length: 40 }, (_, i) => sampler.sample(logits, plain, randomKey(seed), i));
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
  });

  it('refuses logits that are not numbers', () => {
    const sampler = new TokenSampler(samplers, 3);
    for (const logits of [
      [NaN, NaN, NaN],
      [NaN, 1, 2],
      [1, Infinity, 2],
    ]) {
      expect(() => sampler.sample(Float32Array.from(logits), plain, 1n, 0)).toThrow('not finite');
    }
  });
});

describe('candidates', () => {
  it('finds the weight of any rank', () => {
    const candidates = new Candidates(200);
    const logits = Float32Array.from({ length: 200 }, (_, i) => Math.fround(Math.sin(i * 12.9898) * 43758.5453) % 7);
    candidates.reset(logits);
    const sorted = logits.toSorted((a, b) => b - a);
    for (const rank of [1, 2, 50, 199, 200]) expect(candidates.weightAtRank(rank)).toBe(sorted[rank - 1]);
  });
});
