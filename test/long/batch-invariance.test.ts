import { availableParallelism } from 'node:os';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTinyModel } from '../support/tiny-model.js';
import { startTinyThreadGroup } from '../support/tiny-thread-group.js';
import { mixes, runAlone, runMix } from '../engine/mixes.js';

/** Threads that take each other's cores wait for each other in every step: fifty runs of four on two take hours. */
const runsOf = (threads: number): number => (threads > availableParallelism() ? 5 : 50);

const sizes = [12, 40, 400].flatMap((kvBlocks) => [1, 2, 4].map((threads) => [kvBlocks, threads] as const));

it.each(sizes)(
  'holds for mixes of 200 in %i blocks on %i threads',
  { timeout: 1_800_000 },
  async (kvBlocks, threads) => {
    const alone = await createTinyModel();
    await using threadGroup = await startTinyThreadGroup({ threads: Math.max(2, threads), capacity: { kvBlocks } });
    const model = threads > 1 ? threadGroup : await createTinyModel({ capacity: { kvBlocks } });
    fc.assert(
      fc.property(mixes(200), (mix) => {
        expect(runMix(model, mix, () => {})).toEqual(runAlone(alone, mix));
      }),
      { numRuns: runsOf(threads) },
    );
  },
);
