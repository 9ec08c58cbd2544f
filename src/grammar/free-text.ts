import type { Expression } from './grammar.js';
import {
  ANY_TEXT,
  choice,
  compilePattern,
  complement,
  createBudget,
  literal,
  sequence,
  toUtf8,
} from './regular/index.js';
import { compileRegex } from './regex/index.js';

/**
 * Any UTF-8 text without `texts` in it, and without a beginning that one of `starts` matches: expressions of ECMA-262.
 * Errors: `invalid_regex`, `grammar_too_large`.
 */
export function freeText(texts: readonly string[], starts: readonly string[] = []): Expression {
  const budget = createBudget();
  const begun = starts.map((start) => ({
    kind: 'automaton' as const,
    automaton: compileRegex(start, { anchored: true }, budget),
  }));
  const unfree = choice(
    sequence(ANY_TEXT, choice(...texts.map((text) => literal(text))), ANY_TEXT),
    ...begun.map((pattern) => sequence(pattern, ANY_TEXT)),
  );
  return { kind: 'regular', dfa: toUtf8(complement(compilePattern(unfree, budget), budget), budget) };
}
