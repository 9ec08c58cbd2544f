import fc from 'fast-check';
import { isAppError, type CodeTable } from '../../../../src/base/index.js';
import { compileGbnf, compileJsonSchema, compileRegex, type TextGrammar } from '../../../../src/grammar/entry.js';
import { grammarCodes } from '../../../../src/grammar/index.js';
import { gbnfTexts } from '../../../grammar/gbnf/random-gbnf.js';
import { createRandom } from '../../../grammar/sample.js';
import { regexTexts } from './random-regexes.js';
import { walkGrammar } from './walk-grammar.js';
import { wildSchemas } from './wild-schemas.js';

/** What is read: a random source, and what makes a grammar of it. */
interface Subject {
  readonly sources: fc.Arbitrary<unknown>;
  readonly compile: (source: unknown) => TextGrammar;
}

export const subjects = {
  schema: { sources: wildSchemas, compile: (source) => compileJsonSchema(source) },
  'loose-schema': { sources: wildSchemas, compile: (source) => compileJsonSchema(source, { strict: false }) },
  gbnf: { sources: gbnfTexts, compile: (source) => compileGbnf(String(source)) },
  regex: { sources: regexTexts, compile: (source) => compileRegex(String(source)) },
} as const satisfies Readonly<Record<string, Subject>>;

/** Texts that grammars are asked about: whatever they answer, they answer. */
const texts = [
  '',
  '""',
  '0',
  '{}',
  '[]',
  '{"a": 1, "b": [null, "xyz"]}',
  '[1, 2.5, "ab", {"c": true}]',
  'aab\u{1f600}',
];

/**
 * Compiles `source` and walks through it; what does not hold, or undefined. Whether it `isCompiled` is told, too. Errors that
 * are no refusal by a grammar's code are thrown.
 */
export function tryOne(
  { compile }: Subject,
  source: unknown,
  seed: number,
): { readonly isCompiled: boolean; readonly problem?: string | undefined } {
  let grammar: TextGrammar;
  try {
    grammar = compile(source);
  } catch (error) {
    const codes: CodeTable = grammarCodes;
    if (isAppError(error) && (Object.hasOwn(codes, error.code) || error.code === 'invalid_value'))
      return { isCompiled: false };
    throw error;
  }
  for (const text of texts) grammar.accepts(text);
  return { isCompiled: true, problem: walkGrammar(grammar, createRandom(seed)) };
}
