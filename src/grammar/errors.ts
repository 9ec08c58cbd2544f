import type { CodeTable } from '../base/index.js';

/** Codes of refused schemas, regular expressions and grammars. */
export const grammarCodes = {
  unsupported_schema: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a JSON Schema has a keyword, a reference or a value that cannot be enforced',
  },
  unsatisfiable_schema: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'no JSON text can satisfy a JSON Schema',
  },
  invalid_regex: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a regular expression cannot be read, or has a part that no automaton can hold',
  },
  grammar_too_large: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a schema, regular expression or grammar needs more states, rules or steps than the limit',
  },
  grammar_too_slow: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the texts of a grammar can be read in so many ways that the tokens that may come next are not found in time',
  },
  invalid_grammar: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a GBNF grammar, or a grammar that a program has built, cannot be read',
  },
  unsatisfiable_grammar: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'no text can satisfy a grammar',
  },
} as const satisfies CodeTable;
