import fc from 'fast-check';
import { expect, it } from 'vitest';
import { walkRandomGbnf } from '../../grammar/gbnf/walk-random-gbnf.js';
import { gbnfTexts } from '../../grammar/gbnf/random-gbnf.js';

/** Megabytes that all grammars together may leave in memory: far less than one of the larger ones takes while it is made. */
const MAX_GROWTH_MB = 200;

it('5,000 random texts are grammars or are refused, none takes a second, and memory stays', () => {
  const before = process.memoryUsage().rss;
  fc.assert(fc.property(gbnfTexts, walkRandomGbnf), { numRuns: 5000, seed: 20_261_127, endOnFailure: true });
  expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(MAX_GROWTH_MB);
}, 900_000);
