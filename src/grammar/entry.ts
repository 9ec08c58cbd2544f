// `troupe/grammar`: what may come next in a text, for programs that have a model of their own.

import { compileGrammar } from './compile/index.js';
import { readGbnf } from './gbnf/index.js';
import { readRegex } from './regex/index.js';
import { toTextGrammar, type TextGrammar } from './text-grammar.js';

export { createVocabulary, openVocabulary, type TextGrammar, type TextState, type Vocabulary } from './text-grammar.js';

/**
 * Texts that a regular expression of ECMA-262 (with the flag u) matches as a whole.
 * Errors: `invalid_regex`, also for what is not regular; `grammar_too_large`.
 */
export function compileRegex(source: string): TextGrammar {
  const dfa = readRegex(source, { anchored: true });
  return toTextGrammar(compileGrammar({ rules: [{ kind: 'regular', dfa }], start: 0 }));
}

/**
 * Texts of a grammar in GBNF, as llama.cpp reads it; the text follows `root`. Left recursion is allowed.
 * Errors: `invalid_grammar` with line and column, `grammar_too_large`, `unsatisfiable_grammar` where there is no text.
 */
export function compileGbnf(text: string): TextGrammar {
  return toTextGrammar(compileGrammar(readGbnf(text)));
}
