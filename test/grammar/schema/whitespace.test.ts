import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Grammar } from '../../../src/grammar/index.js';
import { readAnyJson, readJsonSchema } from '../../../src/grammar/schema/index.js';
import { grammarAccepts } from '../interpret.js';
import { createRandom, createSampler } from '../sample.js';
import { isWrongInAjv, tryRead } from './compare.js';
import { documents } from './random-schemas.js';

/** Brackets in brackets, by the level of each line. */
const nested = (levels: number): unknown => (levels === 0 ? {} : { a: [nested(levels - 1)], b: {} });
const tree = {
  $defs: { node: { type: 'object', properties: { a: { items: { $ref: '#/$defs/node' } }, b: true } } },
  $ref: '#/$defs/node',
};
const grammars: readonly (readonly [name: string, grammar: Grammar])[] = [
  ['JSON mode', readAnyJson({ root: 'object' })],
  ['any value', readAnyJson()],
  ['the empty schema', readJsonSchema({}).grammar],
  ['a recursive schema', readJsonSchema(tree).grammar],
];

/** The white space of a text outside of strings, each with its level of brackets. */
function gapsOf(text: string): { readonly gap: string; readonly level: number }[] {
  const gaps: { gap: string; level: number }[] = [];
  let level = 0;
  for (const [part] of text.matchAll(/"(?:[^"\\]|\\.)*"|\s+(?=([\]}])?)|[[{\]}]|[^\s"[{\]}]+/gu)) {
    if ('[{'.includes(part)) level++;
    else if (']}'.includes(part)) level--;
    else if (/^\s/.test(part)) gaps.push({ gap: part, level });
  }
  return gaps;
}

/** Whether white space is a space, or a line break with at most four spaces or a tab for each level, deep down 64 or 16. */
function isHeld({ gap, level }: { readonly gap: string; readonly level: number }): boolean {
  const levels = level < 8 ? level : 16;
  return gap === ' ' || new RegExp(`^\\r?\\n(?: {0,${4 * levels}}|\\t{0,${levels}})$`).test(gap);
}

describe('white space between the parts of a text', () => {
  it.each(grammars)('of %s has no more indent than its level', (_name, grammar) => {
    const lines = (level: number, indent: string): string[] => [
      `${'{"a":['.repeat(Math.floor(level / 2))}{\n${indent}"b":1}${']}'.repeat(Math.floor(level / 2))}`,
    ];
    for (const level of [1, 3, 5, 7]) {
      for (const indent of [' '.repeat(4 * level), '\t'.repeat(level), '']) {
        expect(lines(level, indent).map((text) => grammarAccepts(grammar, text))).toEqual([true]);
      }
      for (const indent of [' '.repeat(4 * level + 1), '\t'.repeat(level + 1), '\n', ' \n', '\t ']) {
        expect(lines(level, indent).map((text) => grammarAccepts(grammar, text))).toEqual([false]);
      }
    }
    const closing = ['{"b":1\n}', '{"b":1\n }', '{"b":{"b":1\n    }}', '{"b":{"b":1\n     }}'];
    expect(closing.filter((text) => grammarAccepts(grammar, text))).toEqual([closing[0], closing[2]]);
  });

  it.each(grammars)('of %s may be what programs print, 16 levels deep', (_name, grammar) => {
    for (const levels of [1, 2, 4, 8]) {
      const texts = [undefined, 1, 2, 3, 4, '\t'].map((indent) => JSON.stringify(nested(levels), null, indent));
      expect(texts.filter((text) => grammarAccepts(grammar, text))).toEqual(texts);
    }
  });

  it('within other brackets is indented with them', () => {
    const grammar = readAnyJson({ root: 'object', outerLevels: 2 });
    const texts = [1, 2, 3, 4].map((levels) => `{\n${'    '.repeat(levels)}"a": 1\n${'    '.repeat(levels - 1)}}`);
    expect(texts.filter((text) => grammarAccepts(grammar, text))).toEqual(texts.slice(0, 3));
  });

  it('of random schemas and random texts is held to its level', () => {
    fc.assert(
      fc.property(documents, fc.nat(), (schema, seed) => {
        fc.pre(!isWrongInAjv(schema));
        const read = tryRead(schema);
        if (typeof read === 'string') return;
        const sample = createSampler(read.grammar);
        const random = createRandom(seed);
        for (let i = 0; i < 5; i++) {
          const text = sample(random);
          expect(gapsOf(text).filter((gap) => !isHeld(gap))).toEqual([]);
        }
      }),
      { numRuns: 150, interruptAfterTimeLimit: 30_000 },
    );
  });
});
