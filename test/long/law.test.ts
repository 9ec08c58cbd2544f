import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTinyModel } from '../support/tiny-model.js';
import { mixes, runAlone, runMix } from '../engine/mixes.js';

it.each([12, 40, 400])('holds for mixes of 200 sequences in %i blocks', { timeout: 1_800_000 }, async (kvBlocks) => {
  const alone = await createTinyModel();
  const model = await createTinyModel({ capacity: { kvBlocks } });
  fc.assert(
    fc.property(mixes(200), (mix) => {
      expect(runMix(model, mix, () => {})).toEqual(runAlone(alone, mix));
    }),
    { numRuns: 100 },
  );
});
