// Bytes that must come, as the tokens in which the model writes them.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  compileGrammar,
  createConstraint,
  createVocabulary,
  GrammarBuilder,
  GrammarWalk,
  lazyEncoder,
  openVocabulary,
  freeText,
  textExpression,
  textTokens,
  type Constraint,
  type Expression,
  type GrammarVocabulary,
} from '../../src/grammar/index.js';
import { compileTokenizer, openTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';

const compiled = compileTokenizer(readFileSync('test/vectors/tokenizers/qwen2/tokenizer.json', 'utf8'));
const tokenizer: Tokenizer = openTokenizer(compiled);
const specials = tokenizer.addedTokens.filter(({ special }) => special).map(({ content }) => content);
const made = createVocabulary(textTokens(tokenizer, tokenizer.vocabSize, specials));
const vocabulary: GrammarVocabulary = openVocabulary(made.toBytes(), { encode: lazyEncoder(compiled) });

const digits: Expression = {
  kind: 'repeat',
  of: { kind: 'choice', options: [...'0123456789'].map(textExpression) },
  min: 1,
  max: 3,
};

const compile = (...parts: Expression[]): ReturnType<typeof compileGrammar> =>
  compileGrammar(new GrammarBuilder().build({ kind: 'sequence', parts }));

function constrain(grammar: ReturnType<typeof compile>, skipsForced = true): Constraint {
  const spec = { kind: 'grammar', grammar, id: JSON.stringify(grammar), endTokenIds: [], skipsForced } as const;
  return createConstraint(spec, { vocabSize: tokenizer.vocabSize, vocabulary });
}

const text = (ids: readonly number[]): string => tokenizer.decode(ids);

it.each([
  '{"temperature": 21, "a_very_long_name_of_a_field": true}',
  'Grüße aus Köln, 東京 and 🦆.',
  '<tool_call>\n{"name": "get_weather", "arguments": {}}\n</tool_call>',
])('a text without an alternative comes in its own tokens: %s', (whole) => {
  const constraint = constrain(compile(textExpression(whole)));
  const ids: number[] = [];
  while (!constraint.ended) {
    const { forced, allowed } = constraint;
    expect(forced.length).toBeGreaterThan(0);
    for (const id of forced) {
      // What is sampled instead of appended is the same.
      expect(constraint.allowed?.reduce((sum, word) => sum + word.toString(2).replaceAll('0', '').length, 0)).toBe(1);
      expect(((allowed?.[id >>> 5] ?? 0) >>> (id & 31)) & 1 || id !== forced[0]).toBeTruthy();
      constraint.advance(id);
      ids.push(id);
    }
  }
  expect(ids).toEqual(tokenizer.encode(whole, { addSpecialTokens: false }));
});

it('leaves the last tokens to the model where a longer one could stand there', () => {
  const constraint = constrain(compile(textExpression('{"count": '), digits, textExpression('}')));
  const ids = [...constraint.forced];
  const forced = text(ids);
  expect('{"count": '.startsWith(forced)).toBe(true);
  for (const id of ids) constraint.advance(id);
  // Whatever of the blank was taken back may come with what follows it, or alone.
  const rest = tokenizer.encode('{"count": 123}', { addSpecialTokens: false });
  expect(rest.slice(0, ids.length)).toEqual(ids);
  for (const id of rest.slice(ids.length)) {
    expect(((constraint.allowed?.[id >>> 5] ?? 0) >>> (id & 31)) & 1).toBe(1);
    constraint.advance(id);
  }
  expect(constraint.ended).toBe(true);
});

it('forces the same tokens as are sampled when nothing is skipped over, only fewer ways', () => {
  const grammar = compile(textExpression('"name": '), digits);
  const free = constrain(grammar, false);
  const bound = constrain(grammar);
  expect(free.forced).toEqual([]);
  const [first] = bound.forced;
  expect(((free.allowed?.[(first ?? 0) >>> 5] ?? 0) >>> ((first ?? 0) & 31)) & 1).toBe(1);
});

it('has no forced tokens without a tokenizer but one that alone fits', () => {
  const word = Array.from({ length: tokenizer.vocabSize }, (_, id) => text([id])).find((each) =>
    /^[a-z]{2}$/.test(each),
  );
  const bare = (content: string): Constraint => {
    const spec = { kind: 'grammar', grammar: compile(textExpression(content)), id: content, endTokenIds: [] } as const;
    return createConstraint({ ...spec, skipsForced: true }, { vocabSize: tokenizer.vocabSize, vocabulary: made });
  };
  // The word, or its letters.
  expect(bare(word ?? '').forced).toEqual([]);
  expect(bare('a').forced).toEqual(tokenizer.encode('a', { addSpecialTokens: false }));
});

it('finds texts without a tag, and those that only begin like one', () => {
  const walk = new GrammarWalk(compile(freeText(['<tool_call>']), textExpression('!')));
  const accepts = (candidate: string): boolean =>
    walk.start().advance(new TextEncoder().encode(candidate))?.canEnd === true;
  for (const fine of ['!', 'a!', '<!', '<tool_cal!', '<<tool_call!', '<tool_<tool_call!', '!!', 'über <tool>!'])
    expect([fine, accepts(fine)]).toEqual([fine, true]);
  for (const wrong of ['<tool_call>!', 'a<tool_call>b!', '<<tool_call>!', '<tool_<tool_call>!', 'a'])
    expect([wrong, accepts(wrong)]).toEqual([wrong, false]);
  const again = new GrammarWalk(compile(freeText(['aab']), textExpression('.')));
  for (let code = 0; code < 3 ** 7; code++) {
    const candidate = code.toString(3).replaceAll('0', 'a').replaceAll('1', 'b').replaceAll('2', 'c');
    const ends = again.start().advance(new TextEncoder().encode(`${candidate}.`))?.canEnd === true;
    expect([candidate, ends]).toEqual([candidate, !candidate.includes('aab')]);
  }
});
