import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareWithAjv, isWrongInAjv } from '../grammar/schema/compare.js';
import { documents, values } from '../grammar/schema/random-schemas.js';

/** Schemas of one run; a night takes a million. */
const NUM_SCHEMAS = Number(process.env['JSON_SCHEMA_RUNS'] ?? 20_000);
/** Compiled in one batch: a failure shows soon. */
const BATCH = 1_000;

it(`${NUM_SCHEMAS} random schemas accept and make what ajv calls valid, each within a second`, { timeout: 0 }, () => {
  let slowestUs = 0;
  for (let done = 0; done < NUM_SCHEMAS; done += BATCH) {
    fc.assert(
      fc.property(documents, fc.array(values, { minLength: 5, maxLength: 10 }), fc.nat(), (schema, instances, seed) => {
        fc.pre(!isWrongInAjv(schema));
        const { difference, cpuUs } = compareWithAjv(schema, instances, seed, 3);
        slowestUs = Math.max(slowestUs, cpuUs);
        expect(difference).toBeUndefined();
      }),
      { numRuns: Math.min(BATCH, NUM_SCHEMAS - done), seed: done },
    );
  }
  expect(slowestUs).toBeLessThan(1_000_000);
});
