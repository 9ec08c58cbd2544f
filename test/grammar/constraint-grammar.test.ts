import { describe, expect, it } from 'vitest';
import {
  checkConstraint,
  compileGrammar,
  createConstraint,
  createVocabulary,
  type ConstraintSpec,
  readGbnf,
  type TokenMask,
} from '../../src/grammar/index.js';

const TEXTS = ['', 'a', 'b', 'ab', 'c', ' ', '\n\n', 'abc', '          ', 'x'];
/** Special tokens: they stand for no text. */
const END = 10;
const OPEN = 11;
const CLOSE = 12;
const VOCAB = 40;

const vocabulary = createVocabulary(TEXTS.map((text) => new TextEncoder().encode(text)));
const surroundings = { vocabSize: VOCAB, vocabulary };

function idsOf(mask: TokenMask | undefined): number[] | 'all' {
  if (mask === undefined) return 'all';
  return Array.from({ length: VOCAB }, (_, id) => id).filter((id) => (((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1);
}

function grammarSpec(gbnf: string, more: object = {}): Extract<ConstraintSpec, { kind: 'grammar' }> {
  return { kind: 'grammar', grammar: compileGrammar(readGbnf(gbnf)), id: gbnf, endTokenIds: [END], ...more };
}

/** What is allowed before each of `tokens`, and after the last. */
function follow(spec: ConstraintSpec, tokens: readonly number[]): { allowed: (number[] | 'all')[]; ended: boolean } {
  checkConstraint(structuredClone(spec), { vocabSize: VOCAB, takesGrammars: true });
  const constraint = createConstraint(structuredClone(spec), surroundings);
  const allowed = tokens.map((token) => {
    const before = idsOf(constraint.allowed);
    constraint.advance(token);
    return before;
  });
  return { allowed: [...allowed, idsOf(constraint.allowed)], ended: constraint.ended };
}

describe('a grammar as a constraint', () => {
  it('allows the tokens whose bytes go on, and the end where the text may end', () => {
    expect(follow(grammarSpec('root ::= "ab" "c"*'), [1, 2, 4])).toEqual({
      allowed: [[1, 3, 7], [2], [4, END], [4, END]],
      ended: false,
    });
  });

  it('has ended where nothing may follow, and behind an end token', () => {
    expect(follow(grammarSpec('root ::= "ab"'), [3]).ended).toBe(true);
    expect(follow(grammarSpec('root ::= "a"*'), [1, END])).toEqual({ allowed: [[1, END], [1, END], []], ended: true });
  });

  it('allows only the end where no token goes on, and has ended there if there is none', () => {
    expect(follow(grammarSpec('root ::= "a" "y"'), [1])).toEqual({ allowed: [[1], [END]], ended: false });
    expect(follow(grammarSpec('root ::= "a" "y"', { endTokenIds: [] }), [1])).toEqual({
      allowed: [[1], []],
      ended: true,
    });
  });

  it('forces a token without an alternative only when asked to, and tells the bytes that must come', () => {
    const spec = grammarSpec('root ::= "x" "c"+');
    const forcing = createConstraint({ ...spec, skipsForced: true }, surroundings);
    expect(forcing.forced).toEqual([9]);
    expect(createConstraint(spec, surroundings).forced).toEqual([]);
    expect(forcing.forcedBytes).toEqual(Uint8Array.from([0x78, 0x63]));
    forcing.advance(9);
    forcing.advance(4);
    expect(forcing.forced).toEqual([]);
  });

  it('is made again from its tokens alone', () => {
    const spec = grammarSpec('root ::= ("a" | "b" root "c")+');
    const tokens = [1, 2, 1, 3, 1, 4, 4];
    expect(follow(spec, tokens)).toEqual(follow({ ...spec, id: 'another' }, tokens));
  });

  it('does not share what another grammar of the same id has made', () => {
    const first = follow(grammarSpec('root ::= "a"+', { id: 'one' }), [1]);
    expect(follow(grammarSpec('root ::= "b"+', { id: 'one' }), [2]).allowed).toEqual([[2], [2, END]]);
    expect(follow(grammarSpec('root ::= "a"+', { id: 'one' }), [1])).toEqual(first);
  });
});

describe('an answer after reasoning', () => {
  const spec = (more: object = {}): ConstraintSpec => ({
    kind: 'after-reasoning',
    openTokenId: OPEN,
    closeTokenId: CLOSE,
    startsInside: false,
    answer: grammarSpec('root ::= "ab" "c"'),
    ...more,
  });
  const reasoning = Array.from({ length: 64 }, (_, id) => id).filter((id) => id !== END && id < VOCAB);

  it('may begin at once, or behind reasoning in which all may come but its end', () => {
    expect(follow(spec(), [3, 4])).toEqual({ allowed: [[1, 3, 7, OPEN], [4], [END]], ended: true });
    expect(follow(spec(), [OPEN, 9, CLOSE, 7])).toEqual({
      allowed: [[1, 3, 7, OPEN], reasoning, reasoning, [1, 3, 6, 7], [END]],
      ended: true,
    });
  });

  it('may have a few line feeds before it, which are no part of it', () => {
    const { allowed } = follow(spec({ startsInside: true }), [CLOSE, 6, 6, 6, 6, 1]);
    expect(allowed.slice(1)).toEqual([[1, 3, 6, 7], [1, 3, 6, 7], [1, 3, 6, 7], [1, 3, 6, 7], [1, 3, 7], [2]]);
  });

  it('comes once the budget of the reasoning is used up', () => {
    const { allowed } = follow(spec({ startsInside: true, budget: 2 }), [9, 9, CLOSE]);
    expect(allowed).toEqual([reasoning, reasoning, [CLOSE], [1, 3, 6, 7]]);
  });
});

describe('a spec that came across threads', () => {
  const good = grammarSpec('root ::= "a" root | "b"');
  const { grammar } = good;
  it.each<[string, object]>([
    ['constraint.id is absent', { id: undefined }],
    ['constraint.endTokenIds is "abc"', { endTokenIds: 'abc' }],
    ['constraint.endTokenIds[0] is 40', { endTokenIds: [40] }],
    ['constraint.grammar is absent', { grammar: undefined }],
    ['constraint.grammar.accepting is', { grammar: { ...grammar, accepting: [1] } }],
    ['constraint.grammar.edgeTargets is', { grammar: { ...grammar, edgeTargets: grammar.edgeTargets.map(() => 99) } }],
    ['constraint.grammar.edgeOffsets is', { grammar: { ...grammar, edgeOffsets: new Int32Array(9) } }],
    ['constraint.grammar.start is 7', { grammar: { ...grammar, start: 7 } }],
    ['constraint.grammar.ruleStates is', { grammar: { ...grammar, accepting: grammar.accepting.map(() => 1) } }],
    ['constraint.grammar.edgeBytes is', { grammar: { ...grammar, edgeBytes: grammar.edgeBytes.map(() => 5) } }],
  ])('is refused: %s', (message, change) => {
    const spec = { ...good, ...change } as ConstraintSpec;
    expect(() => checkConstraint(spec, { vocabSize: VOCAB, takesGrammars: true })).toThrow(message);
  });

  it('is refused where the engine has no vocabulary, also behind reasoning', () => {
    expect(() => checkConstraint(good, { vocabSize: VOCAB })).toThrow('this model was opened without its vocabulary');
    const outer = {
      kind: 'after-reasoning',
      openTokenId: 1,
      closeTokenId: 2,
      startsInside: true,
      answer: good,
    } as const;
    expect(() => checkConstraint(outer, { vocabSize: VOCAB })).toThrow('this model was opened without its vocabulary');
    const inside = { ...outer, answer: outer } as never;
    expect(() => checkConstraint(inside, { vocabSize: VOCAB })).toThrow('constraint.answer.kind is "after-reasoning"');
  });
});
