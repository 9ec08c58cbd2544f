// `troupe/grammar`: the tokens that may come next in a text, for programs with a model of their own.

import { compileGrammar } from './compile/index.js';
import { readGbnf } from './gbnf/index.js';
import { readRegex } from './regex/index.js';
import { readJsonSchema, type JsonSchemaGrammarOptions } from './schema/index.js';
import { toTextGrammar, type TextGrammar } from './text-grammar.js';

export type { JsonSchemaGrammarOptions } from './schema/index.js';
export { createVocabulary, openVocabulary, type TextGrammar, type TextState, type Vocabulary } from './text-grammar.js';

/**
 * JSON texts whose value is valid by a schema of draft 4, 6, 7, 2019-09 or 2020-12. Properties come in the schema's order,
 * and white space as programs print it. A keyword is enforced or refused by name; with `strict: false` it is left out
 * and named in `unenforced`. Errors: `unsupported_schema`, `unsatisfiable_schema`, `grammar_too_large`.
 */
export function compileJsonSchema(schema: unknown, options: JsonSchemaGrammarOptions = {}): TextGrammar {
  const { grammar, unenforced } = readJsonSchema(schema, options);
  return toTextGrammar(compileGrammar(grammar), unenforced);
}

/**
 * Texts that a regular expression of ECMA-262 (with the flag u) matches as a whole. Errors: `invalid_regex`, also for a
 * non-regular expression; `grammar_too_large`.
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
