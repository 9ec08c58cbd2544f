import { describe, expect, it } from 'vitest';
import { compileGbnf } from '../../../src/grammar/entry.js';
import { compileGrammar, createVocabulary, GrammarWalk, type WalkState } from '../../../src/grammar/index.js';
import { alt, grammarOf, jsonGrammar, many, rule, seq, text } from '../build.js';

const encoder = new TextEncoder();
const json = compileGrammar(jsonGrammar());

function go(state: WalkState | undefined, more: string): WalkState {
  const next = state?.advance(encoder.encode(more));
  if (next === undefined) throw new Error('the text is refused');
  return next;
}

describe('a text that goes on', () => {
  it('may lie a thousand rules deep, and many more', () => {
    for (const depth of [1000, 50_000]) {
      const inside = go(new GrammarWalk(json).start(), '['.repeat(depth));
      const over = go(inside, ']'.repeat(depth));
      expect([inside.canEnd, over.canEnd, over.isOver]).toEqual([false, true, true]);
      expect(over.advance(encoder.encode(']'))).toBe(undefined);
    }
  });

  it('goes on the same whatever else has filled and emptied the tables of its grammar', () => {
    const vocabulary = createVocabulary([...'{}[]",:12ae '].map((token) => encoder.encode(token)));
    const walk = new GrammarWalk(json);
    const begun = go(walk.start(), '{"a": [1, {"e": [');
    const mask = vocabulary.mask(begun).slice();
    const { table } = begun.locate();
    // Deeper than one table holds.
    let other = walk.start();
    for (let i = 0; i < 12; i++) other = go(other, '['.repeat(10_000));
    expect(begun.locate().table).not.toBe(table);
    expect(vocabulary.mask(begun)).toEqual(mask);
    expect(go(begun, ']}, 2]}').isOver).toBe(true);
    expect(go(other, ']'.repeat(120_000)).isOver).toBe(true);
  });

  it('may be begun again from any of its beginnings', () => {
    const start = new GrammarWalk(json).start();
    const list = go(start, '[');
    expect(go(list, '1]').isOver).toBe(true);
    expect(go(list, '"x"]').isOver).toBe(true);
    expect(start.canEnd).toBe(false);
  });

  it('forces bytes as far as there is one way', () => {
    const endless = compileGrammar(grammarOf(seq(text('a'), many(text('b'), 5000, 5000), alt(text('c'), text('d')))));
    expect(new GrammarWalk(endless).start().forcedBytes()).toHaveLength(4096);
    const two = compileGrammar(grammarOf(seq(text('key'), rule(1)), alt(text('x1'), text('x2'))));
    expect(new TextDecoder().decode(new GrammarWalk(two).start().forcedBytes())).toBe('keyx');
  });
});

describe('ambiguous grammars', () => {
  it.each([
    ['root ::= root root | "a"', 'a', 1000],
    ['root ::= root "+" root | "a"', 'a+', 1000],
    ['root ::= "a" root "a" | "a"', 'a', 1000],
    ['root ::= "a" root "b" | "a" root "c" | "a"', 'a', 5000],
    ['root ::= "a" root root | "a"', 'a', 1000],
  ])('%s: hundreds of rules within each other', (gbnf, unit, count) => {
    let state = compileGbnf(gbnf).start();
    for (let i = 0; i < count; i++) {
      const next = state.advance(unit);
      if (next === undefined) throw new Error(`refused after ${i}`);
      state = next;
    }
    expect(state.isOver).toBe(false);
  });

  it('are refused from a height of a thousand rules on, where each may be read in two ways', () => {
    const grammar = compileGbnf('root ::= root root | "a"');
    expect(grammar.accepts('a'.repeat(1000))).toBe(true);
    expect(grammar.accepts('a'.repeat(1100))).toBe(false);
  });
});
