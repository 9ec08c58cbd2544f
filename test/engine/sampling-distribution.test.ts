import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { EngineCore } from '../../src/engine/engine.js';
import type { StepOutput } from '../../src/engine/step-output.js';
import { decodeOutput, encodeOutput, maxOutputBytes } from '../../src/engine/client/output-record.js';
import { checkRequest } from '../../src/engine/request-check.js';
import type { GenerateRequest, TokenLogprobs } from '../../src/engine/request.js';
import type { Sampling } from '../../src/engine/sampling/sampling.js';
import { createTinyModel } from '../support/tiny-model.js';

const MIX: readonly Partial<Sampling>[] = [
  {},
  { temperature: 0, repetitionPenalty: 1.3, repeatLastN: -1 },
  { presencePenalty: 0.8, frequencyPenalty: 0.3, topP: 0.9 },
  { dry: { multiplier: 0.8, breakerIds: [7] }, topK: 30 },
  { typicalP: 0.8, temperature: 1.4 },
  { xtc: { probability: 0.5, threshold: 0.02 } },
  {
    logitBias: [
      [3, 40],
      [9, -Infinity],
    ],
    minTokens: 8,
    minP: 0.02,
  },
];

function request(index: number): GenerateRequest {
  const length = [1, 7, 33, 64, 90, 12, 40][index % 7] as number;
  return {
    promptTokenIds: Array.from({ length }, (_, i) => (index * 31 + i * 17) % 197),
    maxTokens: 16 + index,
    sampling: { temperature: 1, seed: index, ...MIX[index % MIX.length] },
    stopTokenIds: index % 2 === 0 ? [3, 50] : [],
    ignoreStop: false,
    logprobs: index % 3,
  };
}

interface Result {
  readonly tokens: number[];
  readonly logprobs: TokenLogprobs[];
}

async function run(indices: readonly number[], kvBlocks = 64): Promise<Map<number, Result>> {
  const { device, config } = await createTinyModel({ capacity: { kvBlocks } });
  const { contextLength, vocabSize } = config;
  const limits = { maxRows: 64, chunkRows: 16, maxSequences: 16, maxWaiting: 32 };
  const engine = new EngineCore(device, { contextLength, vocabSize, limits });
  const results = new Map<number, Result>();
  for (const index of indices) {
    checkRequest(request(index), { contextLength, vocabSize });
    engine.add(index, request(index), []);
    results.set(index, { tokens: [], logprobs: [] });
  }
  for (let step = 0; engine.hasWork && step < 10_000; step++) {
    const outputs: StepOutput[] = [];
    engine.step(outputs);
    for (const { sequenceId, tokenId, logprobs } of outputs) {
      if (tokenId !== undefined) results.get(sequenceId)?.tokens.push(tokenId);
      if (logprobs !== undefined) results.get(sequenceId)?.logprobs.push(logprobs);
    }
  }
  return results;
}

describe('every sampler in the engine', () => {
  const indices = Array.from({ length: 14 }, (_, index) => index);
  const alone = new Map<number, Result | undefined>();

  beforeAll(async () => {
    for (const index of indices) alone.set(index, (await run([index])).get(index));
  });

  it.each([64, 10])('gives the same tokens and logprobs in a batch as alone, with %i blocks', async (kvBlocks) => {
    const together = await run(indices, kvBlocks);
    for (const index of indices) expect(together.get(index)).toEqual(alone.get(index));
  });

  it('gives one logprob for each token, with the alternatives that were asked for', () => {
    for (const [index, result] of alone) {
      expect(result?.logprobs).toHaveLength(result?.tokens.length ?? -1);
      for (const { top } of result?.logprobs ?? []) expect(top).toHaveLength(index % 3);
    }
    // Stop ids are banned for eight tokens, then the one with a bias of 40 ends it.
    const forced = alone.get(6);
    expect(forced?.tokens.slice(0, 8)).not.toContain(3);
    expect(forced?.tokens).toHaveLength(8);
    expect(forced?.tokens).not.toContain(9);
  });
});

describe('output record', () => {
  const float = fc.float({ noNaN: true }).map(Math.fround);
  const id = fc.nat(2 ** 31 - 1);

  it('is sixteen bytes without logprobs', () => {
    const buffer = new Uint8Array(maxOutputBytes(64));
    const bytes = encodeOutput({ sequenceId: 5, tokenId: 7 }, buffer);
    expect(bytes).toHaveLength(16);
    expect(decodeOutput(bytes)).toEqual({
      sequenceId: 5,
      tokenId: 7,
      logprobs: undefined,
      end: undefined,
      cachedTokens: undefined,
    });
  });

  it('carries an embedding with the end', () => {
    fc.assert(
      fc.property(id, fc.array(float, { minLength: 1, maxLength: 64 }), (sequenceId, values) => {
        const embedding = Float32Array.from(values);
        const bytes = encodeOutput(
          { sequenceId, embedding, finishReason: 'length' },
          new Uint8Array(maxOutputBytes(values.length)),
        );
        expect(decodeOutput(bytes)).toEqual({ sequenceId, embedding, end: 'length' });
      }),
    );
  });

  it('carries logprobs and alternatives', () => {
    const alternatives = fc.array(fc.record({ tokenId: id, logprob: float }), { maxLength: 20 });
    fc.assert(
      fc.property(
        id,
        id,
        float,
        alternatives,
        fc.constantFrom('length' as const, undefined),
        (sequenceId, tokenId, logprob, top, end) => {
          const logprobs = { logprob, top };
          const output = { sequenceId, tokenId, logprobs, ...(end !== undefined && { finishReason: end }) };
          const bytes = encodeOutput(output, new Uint8Array(maxOutputBytes(64)));
          expect(decodeOutput(bytes)).toEqual({ sequenceId, tokenId, logprobs, end, cachedTokens: undefined });
        },
      ),
    );
  });
});

describe('sampling that the engine refuses', () => {
  const refusal = (sampling: object, rest: object = {}): unknown => {
    try {
      checkRequest(
        { ...request(0), sampling: { temperature: 1, seed: 0, ...sampling }, ...rest },
        { contextLength: 256, vocabSize: 197 },
      );
    } catch (error) {
      return Reflect.get(Object(error), 'code') === 'invalid_value' && Reflect.get(Object(error), 'details').field;
    }
    return undefined;
  };

  it.each([
    ['temperature', { temperature: -1 }],
    ['topP', { topP: 1.5 }],
    ['topK', { topK: 1.5 }],
    ['typicalP', { typicalP: -0.1 }],
    ['minTokens', { minTokens: -1 }],
    ['repetitionPenalty', { repetitionPenalty: 0 }],
    ['repetitionPenalty', { repetitionPenalty: NaN }],
    ['repeatLastN', { repeatLastN: -2 }],
    ['presencePenalty', { presencePenalty: Infinity }],
    ['frequencyPenalty', { frequencyPenalty: NaN }],
    ['logitBias', { logitBias: { 5: 1 } }],
    ['logitBias[0][0]', { logitBias: [[197, 1]] }],
    [
      'logitBias[1][1]',
      {
        logitBias: [
          [1, 1],
          [1, 101],
        ],
      },
    ],
    ['logitBias[0][1]', { logitBias: [[1, NaN]] }],
    ['dry.multiplier', { dry: { multiplier: -1 } }],
    ['dry.base', { dry: { base: 0.5 } }],
    ['dry.allowedLength', { dry: { allowedLength: 0.5 } }],
    ['dry.penaltyLastN', { dry: { penaltyLastN: -2 } }],
    ['dry.breakerIds[0]', { dry: { breakerIds: [-1] } }],
    ['xtc.probability', { xtc: { probability: 2 } }],
    ['xtc.threshold', { xtc: { threshold: -1 } }],
  ])('names %s', (field, sampling) => expect(refusal(sampling)).toBe(field));

  it('names logprobs past twenty, and takes what is neutral', () => {
    expect(refusal({}, { logprobs: 21 })).toBe('logprobs');
    expect(refusal({}, { logprobs: 20 })).toBeUndefined();
    expect(refusal({ logitBias: [[0, -Infinity]], dry: {}, xtc: {} })).toBeUndefined();
  });
});
