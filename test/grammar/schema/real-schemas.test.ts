import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { compileGrammar, GrammarWalk } from '../../../src/grammar/index.js';
import { createRandom, createSampler } from '../sample.js';
import { tryRead } from './compare.js';
import { realSchemas } from './real-schemas.js';

const options: Options = { strict: false, logger: false, multipleOfPrecision: 6 };

/** What ajv says; draft 4 it does not know. */
function validator(schema: Readonly<Record<string, unknown>>): (value: unknown) => boolean {
  const address = JSON.stringify(schema['$schema'] ?? '');
  if (address.includes('draft-04')) return () => true;
  const ajv = address.includes('draft-07') ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (value) => validate(value);
}

describe('schemas as people write them', () => {
  const results = realSchemas.map((schema) => ({ schema, read: tryRead(schema) }));

  it('are refused in at most one case of ten, and only for uniqueItems', () => {
    const refused = results.filter(({ read }) => typeof read === 'string');
    expect(realSchemas.length).toBeGreaterThanOrEqual(100);
    expect(refused.length).toBeLessThanOrEqual(realSchemas.length / 10);
    expect(refused.filter(({ schema }) => !JSON.stringify(schema).includes('"uniqueItems":true'))).toEqual([]);
  });

  it('have only texts that ajv calls valid', () => {
    results.forEach(({ schema, read }, seed) => {
      if (typeof read === 'string') return;
      const isValid = validator(schema);
      const sample = createSampler(read.grammar);
      const random = createRandom(seed);
      for (let i = 0; i < 20; i++) {
        const text = sample(random);
        expect([text, isValid(JSON.parse(text))]).toEqual([text, true]);
      }
    });
  });

  it('have compiled grammars that accept the texts', () => {
    results.forEach(({ read }, seed) => {
      if (typeof read === 'string') return;
      const walk = new GrammarWalk(compileGrammar(read.grammar));
      const sample = createSampler(read.grammar);
      const random = createRandom(seed + 1_000);
      for (let i = 0; i < 4; i++) {
        const text = sample(random);
        const end = walk.start().advance(new TextEncoder().encode(text));
        expect([text, end?.canEnd]).toEqual([text, true]);
      }
    });
  });
});
