import fc from 'fast-check';
import { isAppError, present, type CodeTable } from '../../../../src/base/index.js';
import { dialects, elementTypes } from '../../../../src/chat/index.js';
import { compileGbnf, compileJsonSchema, compileRegex, type TextGrammar } from '../../../../src/grammar/entry.js';
import { compileGrammar, grammarCodes, readJsonElements } from '../../../../src/grammar/index.js';
import { toTextGrammar } from '../../../../src/grammar/text-grammar.js';
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

const elements = present(dialects.glm.calls?.elements, 'GLM writes elements');

export const subjects = {
  schema: { sources: wildSchemas, compile: (source) => compileJsonSchema(source) },
  'loose-schema': { sources: wildSchemas, compile: (source) => compileJsonSchema(source, { strict: false }) },
  elements: {
    sources: wildSchemas,
    compile: (source) => {
      const { names, typesOf } = elementTypes(source, elements.untyped);
      return toTextGrammar(compileGrammar(readJsonElements(source, { ...elements, names, typesOf }).grammar));
    },
  },
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

/** What became of one source. */
export interface Tried {
  readonly isCompiled: boolean;
  /** What does not hold. */
  readonly problem: string | undefined;
  /** Microseconds of processor time of the longest part: compiling, reading a text, one token with its mask. */
  readonly longestUs: number;
}

/** Compiles `source` and walks through it. Errors that are no refusal by a grammar's code are thrown. */
export function tryOne({ compile }: Subject, source: unknown, seed: number): Tried {
  let isCompiled = false;
  let problem: string | undefined;
  let longestUs = 0;
  let before = process.cpuUsage();
  const lap = (): void => {
    const { user, system } = process.cpuUsage(before);
    longestUs = Math.max(longestUs, user + system);
    before = process.cpuUsage();
  };
  try {
    const grammar = compile(source);
    isCompiled = true;
    lap();
    for (const text of texts) {
      grammar.accepts(text);
      lap();
    }
    problem = walkGrammar(grammar, createRandom(seed), lap);
  } catch (error) {
    const codes: CodeTable = grammarCodes;
    if (!isAppError(error) || (!Object.hasOwn(codes, error.code) && error.code !== 'invalid_value')) throw error;
  }
  lap();
  return { isCompiled, problem, longestUs };
}
