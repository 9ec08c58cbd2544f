import { describe, expect, it } from 'vitest';
import { compileGrammar, GrammarWalk, type Expression, type Grammar } from '../../../src/grammar/index.js';
import { alt, grammarOf, jsonGrammar, many, rule, seq, text } from '../build.js';

const accepts = (grammar: Grammar, whole: string): boolean =>
  new GrammarWalk(compileGrammar(grammar)).start().advance(new TextEncoder().encode(whole))?.canEnd === true;

/** Rules of which each names the next one `width` times. */
function doubling(depth: number, width: number): Grammar {
  const rules = Array.from({ length: depth }, (_, index) =>
    seq(...Array.from({ length: width }, () => rule(index + 1))),
  );
  return grammarOf(...rules, text('abcdefghijkl'));
}

describe('compiled grammars', () => {
  it('cross threads as they are', () => {
    const compiled = compileGrammar(jsonGrammar());
    expect(structuredClone(compiled)).toEqual(compiled);
  });

  it('of equal grammars are equal', () => {
    expect(compileGrammar(jsonGrammar())).toEqual(compileGrammar(jsonGrammar()));
  });

  it('have no rule that nothing needs, and no state without an end ahead', () => {
    const dead = seq(text('a'), rule(1));
    const { accepting } = compileGrammar(grammarOf(alt(text('x'), dead), seq(text('y'), rule(1)), text('unused')));
    expect(accepting).toHaveLength(2);
  });

  it('merge what reads the same', () => {
    const words = ['red', 'bed', 'led'].map(text);
    expect(compileGrammar(grammarOf(alt(...words))).accepting).toHaveLength(4);
  });

  it('have left recursion turned into repetition', () => {
    // expression: expression + term | term; term: term * x | x; both begin with each other through empty rules.
    const grammar = grammarOf(
      alt(seq(rule(2), rule(0), text('+'), rule(1)), rule(1)),
      alt(seq(rule(1), text('*'), text('x')), text('x')),
      many(text(' ')),
    );
    for (const good of ['x', 'x+x', 'x*x+x*x*x', '  x+x', ' x*x+x+x'])
      expect([good, accepts(grammar, good)]).toEqual([good, true]);
    for (const bad of ['', '+', 'x+', 'x x', ' x']) expect([bad, accepts(grammar, bad)]).toEqual([bad, false]);
  });

  it('may name rules that name rules that lie many times in each other', () => {
    expect(accepts(doubling(12, 2), 'abcdefghijkl'.repeat(4096))).toBe(true);
  });
});

describe('what cannot be compiled is refused', () => {
  const nested = (depth: number): Expression => (depth === 0 ? text('a') : seq(nested(depth - 1), text('b')));
  it.each<[string, Grammar, string]>([
    ['no text', grammarOf(seq(text('a'), rule(0))), 'no text satisfies the grammar'],
    ['only itself', grammarOf(rule(0)), 'no text satisfies the grammar'],
    ['nothing to choose', grammarOf(alt()), 'no text satisfies the grammar'],
    ['no such rule', grammarOf(rule(3)), 'rule 3 of 1'],
    ['no such start', { rules: [], start: 0 }, 'it starts with rule 0 of 0'],
    ['a count below none', grammarOf(many(text('a'), -1)), 'a repetition of -1 to Infinity times'],
    ['most below least', grammarOf(many(text('a'), 3, 2)), 'a repetition of 3 to 2 times'],
    ['too deep', grammarOf(nested(600)), 'expressions within each other, the limit is 500'],
    ['too many times', grammarOf(many(many(text('ab'), 1000, 1000), 1000, 1000)), 'states before it is compiled'],
    [
      'too many rules',
      { rules: Array.from({ length: 200_000 }, () => text('a')), start: 0 },
      'the grammar has 200000 rules',
    ],
    [
      'an end that needs 2^20 states',
      grammarOf(seq(many(alt(text('a'), text('b'))), text('a'), many(alt(text('a'), text('b')), 20, 20))),
      'the limit is',
    ],
    [
      'rules that begin with each other, in a long row',
      grammarOf(...Array.from({ length: 400 }, (_, i) => seq(rule(i + 1), many(text('a'), 9, 9))), text('b')),
      'rules that begin with each other, the limit is 256',
    ],
  ])('%s', (_, grammar, message) => {
    expect(() => compileGrammar(grammar)).toThrow(message);
  });
});
