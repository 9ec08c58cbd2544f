import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareWithAjv, isWrongInAjv } from './compare.js';
import { documents, values } from './random-schemas.js';

/** Schemas that are compared; test/long has more. */
const NUM_SCHEMAS = 400;

it('random schemas accept and make what ajv calls valid', () => {
  let numCompiled = 0;
  fc.assert(
    fc.property(documents, fc.array(values, { minLength: 8, maxLength: 12 }), fc.nat(), (schema, instances, seed) => {
      fc.pre(!isWrongInAjv(schema));
      const { refusal, difference } = compareWithAjv(schema, instances, seed, 4);
      expect(difference).toBeUndefined();
      if (refusal === undefined) numCompiled++;
    }),
    { numRuns: NUM_SCHEMAS, interruptAfterTimeLimit: 50_000 },
  );
  expect(numCompiled).toBeGreaterThan(NUM_SCHEMAS / 2);
});
