import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../../src/base/index.js';
import {
  acceptsText,
  chars,
  choice,
  compilePattern,
  complement,
  createBudget,
  fromByteTexts,
  fromTexts,
  intersect,
  isEmpty,
  listTexts,
  literal,
  numStates,
  type Pattern,
  repeat,
  sequence,
  shortestText,
  subtract,
  toJsonString,
  toUtf8,
  unite,
} from '../../../src/grammar/regular/index.js';
import { dfaAccepts } from '../run-dfa.js';
import { expectCpuWithin } from '../../support/elapsed.js';

/** Letters of several lengths in UTF-8 and of each sort of escape. */
const LETTERS = ['a', 'b', '"', '\\', '\n', 'é', '\uffff', '€', '😀', '𐀀', '/', '\u007f'];
const text = fc.array(fc.constantFrom(...LETTERS), { maxLength: 6 }).map((letters) => letters.join(''));

/** A pattern and the same as JavaScript has it. */
interface Both {
  readonly pattern: Pattern;
  readonly source: string;
}

const escape = (letter: string): string => `\\u{${letter.codePointAt(0)?.toString(16)}}`;
const { tree } = fc.letrec<{ tree: Both }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...LETTERS).map((letter) => ({ pattern: literal(letter), source: escape(letter) })),
    fc.constantFrom(['a', 'b'], ['é', '€'], ['a', '😀']).map(([from = '', to = '']) => ({
      pattern: chars(from + to),
      source: `[${escape(from)}-${escape(to)}]`,
    })),
    fc.array(tie('tree'), { maxLength: 3 }).map((parts) => ({
      pattern: sequence(...parts.map(({ pattern }) => pattern)),
      source: parts.map(({ source }) => `(?:${source})`).join(''),
    })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((parts) => ({
      pattern: choice(...parts.map(({ pattern }) => pattern)),
      source: parts.map(({ source }) => `(?:${source})`).join('|'),
    })),
    fc
      .tuple(tie('tree'), fc.nat(2), fc.option(fc.nat(2), { nil: undefined }))
      .map(([{ pattern, source }, min, more]) => ({
        pattern: repeat(pattern, min, more === undefined ? undefined : min + more),
        source: `(?:${source}){${min},${more === undefined ? '' : min + more}}`,
      })),
  ),
}));

const compile = ({ pattern }: Both) => compilePattern(pattern, createBudget());
const matches = ({ source }: Both, of: string): boolean => new RegExp(`^(?:${source})$`, 'u').test(of);

describe('automata over code points', () => {
  it('accept what the regular expressions of JavaScript match, as code points and as UTF-8', () => {
    fc.assert(
      fc.property(tree, fc.array(text, { maxLength: 8 }), (both, texts) => {
        const automaton = compile(both);
        const bytes = toUtf8(automaton, createBudget());
        for (const each of texts) {
          const expected = matches(both, each);
          expect([each, acceptsText(automaton, each)]).toEqual([each, expected]);
          expect([each, dfaAccepts(bytes, each)]).toEqual([each, expected]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('have union, intersection, difference and complement', () => {
    fc.assert(
      fc.property(tree, tree, fc.array(text, { maxLength: 8 }), (a, b, texts) => {
        const budget = createBudget();
        const [left, right] = [compile(a), compile(b)];
        const results = [unite, intersect, subtract].map((combine) => combine(left, right, budget));
        const rest = complement(left, budget);
        for (const each of texts) {
          const [inA, inB] = [matches(a, each), matches(b, each)];
          expect(results.map((automaton) => acceptsText(automaton, each))).toEqual([
            inA || inB,
            inA && inB,
            inA && !inB,
          ]);
          expect(acceptsText(rest, each)).toBe(!inA);
        }
        expect(numStates(complement(rest, budget))).toBe(numStates(left));
        expect(isEmpty(subtract(left, left, budget))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('list the texts of a finite language, and the shortest of any', () => {
    fc.assert(
      fc.property(fc.uniqueArray(text, { minLength: 1, maxLength: 12 }), (texts) => {
        const budget = createBudget();
        const automaton = fromTexts(texts, budget);
        expect(listTexts(automaton, 12, budget)?.toSorted()).toEqual(texts.toSorted());
        expect(listTexts(automaton, texts.length - 1, budget)).toBeUndefined();
        const shortest = Math.min(...texts.map((each) => [...each].length));
        expect([...(shortestText(automaton) ?? 'none')].length).toBe(shortest);
        const bytes = fromByteTexts(
          texts.map((each) => new TextEncoder().encode(each)),
          budget,
        );
        expect(texts.every((each) => dfaAccepts(bytes, each))).toBe(true);
        expect(texts.some((each) => dfaAccepts(bytes, `${each}a`) && !texts.includes(`${each}a`))).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('refuse what needs too many states or steps, and do so soon', () => {
    const any = chars('ab');
    const hostile = sequence(repeat(any, 0), literal('a'), repeat(any, 40, 40));
    for (const pattern of [hostile, repeat(repeat(any, 1000, 1000), 1000, 1000)]) {
      const code = expectCpuWithin(1_000, () => {
        try {
          compilePattern(pattern, createBudget());
          return '';
        } catch (error) {
          return isAppError(error) ? error.code : String(error);
        }
      });
      expect(code).toBe('grammar_too_large');
    }
  });
});

/** Ways to write one code point in a JSON string. */
function spellings(letter: string): string[] {
  const units = letter.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  const lower = units.map((unit) => `\\u${unit}`).join('');
  const upper = units.map((unit) => `\\u${unit.toUpperCase()}`).join('');
  const raw = JSON.stringify(letter).slice(1, -1);
  return [lower, upper, raw, ...(letter === '/' ? ['\\/'] : [])];
}

describe('the spelling of texts in JSON strings', () => {
  const spelled = text.chain((each) =>
    fc
      .tuple(...[...each].map((letter) => fc.constantFrom(...spellings(letter))))
      .map((parts) => ({ text: each, json: parts.join('') })),
  );

  it('is every legal one of the texts that the automaton accepts, and none of others', () => {
    fc.assert(
      fc.property(tree, fc.array(spelled, { maxLength: 8 }), (both, texts) => {
        const dfa = toJsonString(compile(both), 'every', createBudget());
        for (const { text: each, json } of texts) {
          expect([json, dfaAccepts(dfa, json)]).toEqual([json, matches(both, each)]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is legal JSON of the same text wherever it is accepted', () => {
    const budget = createBudget();
    const any = compilePattern(repeat({ kind: 'set', set: [0, 0x10ffff] }, 0), budget);
    for (const kind of ['every', 'printed'] as const) {
      const dfa = toJsonString(any, kind, budget);
      const pieces = ['\\', 'u', 'd', 'D', '8', '0', 'c', 'x', '"', 'n', '\t', 'é', '\\ud83d', '\\ude00', '\\u0041'];
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (parts) => {
          const json = parts.join('');
          if (!dfaAccepts(dfa, json)) return;
          const parsed: unknown = JSON.parse(`"${json}"`);
          expect(typeof parsed === 'string' && parsed.isWellFormed()).toBe(true);
        }),
        { numRuns: 2_000 },
      );
    }
  });

  it('of the programs that print JSON is accepted in both ways', () => {
    const budget = createBudget();
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 8 }), (each) => {
        const automaton = fromTexts([each], budget);
        const plain = JSON.stringify(each).slice(1, -1);
        const ascii = plain.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
        for (const kind of ['every', 'printed'] as const) {
          const dfa = toJsonString(automaton, kind, createBudget());
          expect([plain, dfaAccepts(dfa, plain)]).toEqual([plain, true]);
          expect([ascii, dfaAccepts(dfa, ascii)]).toEqual([ascii, true]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('never has a lone surrogate', () => {
    const budget = createBudget();
    const any = compilePattern(repeat({ kind: 'set', set: [0, 0x10ffff] }, 0), budget);
    const dfa = toJsonString(any, 'every', budget);
    for (const json of ['\\ud800', '\\udc00', '\\ud800a', '\\ud800\\u0041', '\\udfff\\ud800']) {
      expect([json, dfaAccepts(dfa, json)]).toEqual([json, false]);
    }
    expect(dfaAccepts(dfa, Uint8Array.of(0xed, 0xa0, 0x80))).toBe(false);
    expect(dfaAccepts(dfa, Uint8Array.of(0xc0, 0x80))).toBe(false);
  });
});
