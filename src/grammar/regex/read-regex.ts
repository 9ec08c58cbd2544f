import type { Dfa } from '../grammar.js';
import { compilePattern, createBudget, isEmpty, toUtf8, type Automaton, type WorkBudget } from '../regular/index.js';
import { toWholePattern } from './looks.js';
import { parseRegex } from './parse-regex.js';
import { invalidRegex } from './source.js';

/** How a regular expression is meant. */
export interface RegexOptions {
  /** It matches the whole text; otherwise a part of it, as `pattern` of JSON Schema does. */
  readonly anchored: boolean;
}

/**
 * The automaton of the texts that an expression of ECMA-262 (flag u) matches. Errors: `invalid_regex`, also for a
 * non-regular expression; `grammar_too_large`.
 */
export function compileRegex(source: string, { anchored }: RegexOptions, budget: WorkBudget): Automaton {
  return compilePattern(toWholePattern(parseRegex(source), anchored, budget), budget);
}

/** The same over the bytes of UTF-8. Errors: as of `compileRegex`, and `invalid_regex` where nothing matches. */
export function readRegex(source: string, options: RegexOptions): Dfa {
  const budget = createBudget();
  const automaton = compileRegex(source, options, budget);
  if (isEmpty(automaton)) throw invalidRegex('no text matches it');
  return toUtf8(automaton, budget);
}
