import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTinyModel, type TinyModel } from '../support/tiny-model.js';
import { startTinyThreadGroup, type TinyThreadGroup } from '../support/tiny-thread-group.js';
import { mixes, runAlone, runMix } from './mixes.js';

// A pool of 12 blocks holds 384 tokens: two or three of the longer sequences, so that most mixes preempt.
const TINY_POOL = 12;

describe('the law: a sequence has the tokens and logprobs, or the embedding, that it has alone', () => {
  let alone: TinyModel;
  let roomy: TinyModel;
  let tight: TinyModel;
  let threadGroup: TinyThreadGroup;
  let crowded: TinyThreadGroup;

  beforeAll(async () => {
    alone = await createTinyModel();
    roomy = await createTinyModel({ capacity: { kvBlocks: 200 } });
    tight = await createTinyModel({ capacity: { kvBlocks: TINY_POOL } });
    threadGroup = await startTinyThreadGroup({ capacity: { kvBlocks: 40 } });
    // More threads than a small machine has cores, over several segments.
    crowded = await startTinyThreadGroup({ threads: 4, capacity: { kvBlocks: 40, segmentBytes: 1_000_000 } });
  });

  afterAll(async () => {
    await threadGroup[Symbol.asyncDispose]();
    await crowded[Symbol.asyncDispose]();
  });

  it.each([
    ['roomy', 6],
    ['tight', 8],
    ['threadGroup', 6],
    ['crowded', 2],
  ] as const)('in random mixes: %s', (which, numRuns) => {
    const model = { roomy, tight, threadGroup, crowded }[which];
    fc.assert(
      fc.property(mixes(40), (mix) => {
        const together = runMix(model, mix, (engine) => {
          const { blocks, freeBlocks } = engine.stats;
          if (!engine.hasWork) expect(freeBlocks).toBe(blocks);
        });
        expect(together).toEqual(runAlone(alone, mix));
      }),
      { numRuns },
    );
  });

  it('in random mixes, where wide matrices are in panels', async () => {
    const config = { intermediate_size: 3090, num_hidden_layers: 1 };
    const wide = await createTinyModel({ config });
    await using wideGroup = await startTinyThreadGroup({ config, capacity: { kvBlocks: TINY_POOL } });
    expect(Object.keys(wide.plan.tensors)).toContain('layers.0.down.1');
    fc.assert(
      fc.property(mixes(40), (mix) => {
        expect(runMix(wideGroup, mix, () => {})).toEqual(runAlone(wide, mix));
      }),
      { numRuns: 2 },
    );
  });

  it('holds where each step runs on another part of the thread group', () => {
    expect(crowded.plan.segments.length).toBeGreaterThan(1);
    expect(new Set(crowded.stepsBySize.keys())).toEqual(new Set([1, 2, 4]));
    expect(new Set(threadGroup.stepsBySize.keys())).toEqual(new Set([1, 2]));
  });
});
