import { describe, expect, it } from 'vitest';
import { findVocabulary } from '../../../bench/grammar/vocabulary.js';
import { loadWebXgrammar, type PeerMatcher } from '../../../bench/grammar/web-xgrammar.js';
import { compileGbnf, createVocabulary, type TextState } from '../../../src/grammar/entry.js';
import { randomAt, randomKey } from '../../../src/base/index.js';
import { gbnfGrammars, isSet, latin1, NO_UTF8 } from './gbnf-grammars.js';

const { name, tokens, encoded, endTokenId } = await findVocabulary(process.cwd());
const vocabulary = createVocabulary(tokens);
const peer = loadWebXgrammar();
const info = await peer.TokenizerInfo.createTokenizerInfo(encoded, 'byte_level', false, encoded.length, [endTokenId]);
const compiler = await peer.GrammarCompiler.createGrammarCompiler(info, true);

/** Tokens of one random text. */
const STEPS = 40;

describe(`masks of web-xgrammar over the vocabulary ${name}`, () => {
  it.each(gbnfGrammars)(
    '%s: are ours at each token of random texts',
    async (_, gbnf) => {
      const compiled = await compiler.compileGrammar(gbnf, 'root');
      for (let text = 0; text < 5; text++) {
        const matcher = await peer.GrammarMatcher.createGrammarMatcher(compiled);
        await compareTexts(compileGbnf(gbnf).start(), matcher, randomKey(text));
        matcher.dispose();
      }
      compiled.dispose();
    },
    300_000,
  );
});

async function compareTexts(start: TextState, matcher: PeerMatcher, key: bigint): Promise<void> {
  let state = start;
  /** The last bytes of the text: a token may go on with a character. */
  let last = '';
  for (let step = 0; step < STEPS; step++) {
    const mask = state.mask(vocabulary);
    const theirs = await matcher.getNextTokenBitmask();
    const allowed: number[] = [];
    const different: string[] = [];
    tokens.forEach((bytes, id) => {
      const isOurs = isSet(mask, id);
      // Special tokens stand for no text here; the peer has one of them for the end.
      const isTheirs = bytes !== undefined && bytes.length > 0 && isSet(theirs, id);
      if (isOurs) allowed.push(id);
      const isText = !NO_UTF8.test(last + latin1(bytes));
      if (isOurs !== isTheirs && (isOurs || isText))
        different.push(`${id} ${JSON.stringify(new TextDecoder().decode(bytes))} ours ${isOurs}`);
    });
    expect(different.slice(0, 10)).toEqual([]);
    expect(isSet(theirs, endTokenId)).toBe(state.canEnd);
    const next = allowed[Math.floor(randomAt(key, step) * allowed.length)];
    if (next === undefined) return;
    expect(matcher.acceptToken(next)).toBe(true);
    const after = state.advance(next, vocabulary);
    if (after === undefined) throw new Error('an allowed token is refused');
    state = after;
    last = (last + latin1(tokens[next])).slice(-3);
  }
}
