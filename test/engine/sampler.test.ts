import { describe, expect, it } from 'vitest';
import { randomKey } from '../../src/base/index.js';
import { createRow } from '../../src/compute/devices/cpu/index.js';
import { TokenSampler, type SamplingState } from '../../src/engine/sampling/token-sampler.js';
import { samplers } from '../../src/engine/sampling/samplers/index.js';
import { neutralSampling, resolveSampling, type Sampling } from '../../src/engine/sampling/sampling.js';

/** Place `index` of a completion that has only token 0 before it. */
function place(index: number, sampling: Partial<Sampling> = {}, key = randomKey(7)): SamplingState {
  const resolved = resolveSampling({ ...neutralSampling, ...sampling });
  const tokenIds = Array.from({ length: index + 1 }, () => 0);
  const breakers = new Set(resolved.dry.breakerIds);
  return { sampling: resolved, tokenIds, promptLength: 1, randomKey: key, stopTokenIds: new Set([2]), breakers };
}

/** The same place after other tokens: prompt, then completion. */
function after(prompt: number[], completion: number[], sampling: Partial<Sampling>): SamplingState {
  return { ...place(0, sampling), tokenIds: [...prompt, ...completion], promptLength: prompt.length };
}

/** How often each of `logits` is drawn in `draws` places of one stream. */
function frequencies(logits: number[], sampling: Partial<Sampling>, draws = 20_000): number[] {
  const sampler = new TokenSampler(samplers, createRow(logits.length));
  const counts = logits.map(() => 0);
  for (let i = 0; i < draws; i++) {
    const id = sampler.sample(Float32Array.from(logits), { ...place(0, sampling), randomKey: randomKey(i) });
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
    const sampler = new TokenSampler(samplers, createRow(4));
    expect(sampler.sample(Float32Array.from([1, 3, 3, 2]), place(0, { temperature: 0 }))).toBe(1);
  });

  it('draws by softmax', () => expectClose(frequencies([0, 1, 2], {}), softmax([0, 1, 2])));

  it('draws by softmax more exactly than its buckets are wide', () => {
    // Taken for as heavy as its bucket's heaviest, the second would have 0.4987.
    const [first] = frequencies([0, -1.49 * (Math.LN2 / 64)], {}, 1_000_000);
    expect(Math.abs((first as number) - 1 / (1 + 2 ** (-1.49 / 64)))).toBeLessThan(0.0015);
  });

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
    const sampler = new TokenSampler(samplers, createRow(50));
    const logits = Float32Array.from({ length: 50 }, (_, i) => Math.sin(i));
    const draw = (seed: number): number[] =>
      Array.from({ length: 40 }, (_, i) => sampler.sample(logits, place(i, {}, randomKey(seed))));
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
  });

  it('refuses logits that are not numbers', () => {
    const sampler = new TokenSampler(samplers, createRow(3));
    for (const logits of [
      [NaN, NaN, NaN],
      [NaN, 1, 2],
      [1, Infinity, 2],
      [1, 2, NaN],
      [-Infinity, -Infinity, -Infinity],
    ]) {
      expect(() => sampler.sample(Float32Array.from(logits), place(0))).toThrow('not finite');
    }
  });
});

describe('samplers', () => {
  const thirds = [Math.log(0.5), Math.log(0.3), Math.log(0.2)];
  /** The likeliest token after the samplers that change logits. */
  const greedy = (logits: number[], state: SamplingState): number =>
    new TokenSampler(samplers, createRow(logits.length)).sample(Float32Array.from(logits), {
      ...state,
      sampling: { ...state.sampling, temperature: 0 },
    });

  it('apply in their documented order', () => {
    expect(samplers).toHaveLength(11);
    // A bias counts before temperature: 2 × 1 against 3.
    expectClose(frequencies([0, 2], { logitBias: [[0, 3]], temperature: 0.5 }), softmax([6, 4]));
    // topP counts after topK: of the two that are left, the first alone has 0.625.
    expectClose(frequencies(thirds, { topK: 2, topP: 0.6 }), [1, 0, 0]);
  });

  it('logit bias adds up, and bans with minus infinity, unless nothing would be left', () => {
    expect(
      greedy(
        [0, 1, 2],
        after([0], [], {
          logitBias: [
            [0, 1.5],
            [0, 1.5],
          ],
        }),
      ),
    ).toBe(0);
    expect(greedy([0, 1, 2], after([0], [], { logitBias: [[2, -Infinity]] }))).toBe(1);
    const all = [0, 1, 2].map((id): [number, number] => [id, -Infinity]);
    expect(greedy([0, 1, 2], after([0], [], { logitBias: all }))).toBe(2);
  });

  it('min tokens keeps stop ids away until there are enough', () => {
    expect(greedy([0, 1, 2], after([0], [1], { minTokens: 2 }))).toBe(1);
    expect(greedy([0, 1, 2], after([0], [1, 1], { minTokens: 2 }))).toBe(2);
  });

  it('repetition penalty divides logits above 0, multiplies others, and looks back over prompt and completion', () => {
    expect(greedy([1.9, 2, -1], after([1], [], { repetitionPenalty: 1.1 }))).toBe(0);
    expect(greedy([-1.9, -2, -9], after([0], [0], { repetitionPenalty: 1.1 }))).toBe(1);
    expect(greedy([1.9, 2, -1], after([1], [0, 2, 0], { repetitionPenalty: 1.1, repeatLastN: 3 }))).toBe(1);
    expect(greedy([1.9, 2, -1], after([1], [2], { repetitionPenalty: 1.1, repeatLastN: -1 }))).toBe(0);
    expect(greedy([1.9, 2, -1], after([1], [], { repetitionPenalty: 1.1, repeatLastN: 0 }))).toBe(1);
    // What is too much for f32 is as much as f32 holds, not broken.
    expect(greedy([5, 9, -1], after([0], [], { repetitionPenalty: 1e-308 }))).toBe(0);
  });

  it('presence counts once, frequency each time, and only generated tokens', () => {
    expect(greedy([1, 2, 0], after([1, 1, 1], [], { presencePenalty: 1.5, frequencyPenalty: 1.5 }))).toBe(1);
    expect(greedy([1, 2, 0], after([1], [1], { presencePenalty: 1.5 }))).toBe(0);
    expect(greedy([1, 2, 0], after([1], [1, 1], { presencePenalty: 0.9 }))).toBe(1);
    expect(greedy([1, 2, 0], after([1], [1], { frequencyPenalty: 0.9 }))).toBe(1);
    expect(greedy([1, 2, 0], after([1], [1, 1], { frequencyPenalty: 0.9 }))).toBe(0);
  });

  it('DRY penalises what goes on repeating, more for longer repetitions, and not across breakers', () => {
    const text = [5, 6, 7, 0, 1, 5, 6, 7];
    const logits = [1, 0.9, 0, 0, 0, 0, 0, 0];
    // 0 would continue "5 6 7": 0.1 × 2^(3 − 2) is the least that matters here.
    const dry = { multiplier: 0.1, base: 2, allowedLength: 2 };
    expect(greedy(logits, after(text, [], { dry }))).toBe(1);
    expect(greedy(logits, after(text, [], { dry: { ...dry, allowedLength: 3 } }))).toBe(0);
    expect(greedy(logits, after(text, [], { dry: { ...dry, allowedLength: 4, multiplier: 9 } }))).toBe(0);
    expect(greedy(logits, after(text, [], { dry: { ...dry, breakerIds: [6], multiplier: 9 } }))).toBe(0);
    expect(greedy(logits, after(text, [], { dry: { ...dry, breakerIds: [0], multiplier: 9 } }))).toBe(0);
    expect(greedy(logits, after(text, [], { dry: { ...dry, penaltyLastN: 5, multiplier: 9 } }))).toBe(0);
  });

  it('typical keeps what surprises as much as is expected', () => {
    // Entropy 1.03 nats: 0.3 (1.20 nats) is nearer than 0.5 (0.69) and 0.2 (1.61).
    expectClose(frequencies(thirds, { typicalP: 0.2 }), [0, 1, 0]);
    expectClose(frequencies(thirds, { typicalP: 0.7 }), [0.625, 0.375, 0]);
  });

  it('XTC drops the top choices but the least of them, with its probability', () => {
    expectClose(frequencies(thirds, { xtc: { probability: 1, threshold: 0.25 } }), [0, 0.6, 0.4]);
    expectClose(frequencies(thirds, { xtc: { probability: 1, threshold: 0.4 } }), [0.5, 0.3, 0.2]);
    expectClose(frequencies(thirds, { xtc: { probability: 0.5, threshold: 0.25 } }), [0.25, 0.45, 0.3]);
  });
});
