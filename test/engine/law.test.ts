import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTinyModel, type TinyModel } from '../support/tiny-model.js';
import { startTinyTeam } from '../support/tiny-team.js';
import { mixes, runAlone, runMix } from './mixes.js';

// A pool of 12 blocks holds 384 tokens: two or three of the longer sequences, so that most mixes preempt.
const TINY_POOL = 12;

describe('the law: a sequence has the tokens and logprobs, or the embedding, that it has alone', () => {
  let alone: TinyModel;
  let roomy: TinyModel;
  let tight: TinyModel;
  let team: Awaited<ReturnType<typeof startTinyTeam>>;

  beforeAll(async () => {
    alone = await createTinyModel();
    roomy = await createTinyModel({ capacity: { kvBlocks: 200 } });
    tight = await createTinyModel({ capacity: { kvBlocks: TINY_POOL } });
    team = await startTinyTeam({ capacity: { kvBlocks: 40 } });
  });

  afterAll(async () => team[Symbol.asyncDispose]());

  it.each(['roomy', 'tight', 'team'] as const)('in random mixes: %s', { timeout: 120_000 }, (which) => {
    const model = { roomy, tight, team }[which];
    fc.assert(
      fc.property(mixes(40), (mix) => {
        const together = runMix(model, mix, (engine) => {
          const { blocks, freeBlocks } = engine.stats;
          if (!engine.hasWork) expect(freeBlocks).toBe(blocks);
        });
        expect(together).toEqual(runAlone(alone, mix));
      }),
      { numRuns: 20 },
    );
  });
});
