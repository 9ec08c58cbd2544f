import { compileRegex } from '../../regex/index.js';
import {
  compilePattern,
  literal,
  repeat,
  sequence,
  subtract,
  type WorkBudget,
  type Pattern,
} from '../../regular/index.js';
import type { Format } from './format.js';

/** Letters, digits and hyphens of one label, but none with `--` where Punycode has it: RFC 1123, RFC 5891. */
function label(maxLength: number, budget: WorkBudget): Pattern {
  const any = compileRegex(`[A-Za-z0-9](?:[A-Za-z0-9-]{0,${maxLength - 2}}[A-Za-z0-9])?`, { anchored: true }, budget);
  const reserved = compileRegex('^..--', { anchored: false }, budget);
  return { kind: 'automaton', automaton: subtract(any, reserved, budget) };
}

/** A host name of at least `min` labels. With these lengths it has at most 223 characters, where 253 are allowed. */
export function hostPattern(min: number, budget: WorkBudget): Pattern {
  return sequence(label(63, budget), repeat(sequence(literal('.'), label(31, budget)), min - 1, 5));
}

/** `hostname`: RFC 1123. */
export const hostname: Format = {
  name: 'hostname',
  narrower: 'no Punycode, at most 6 labels, and those behind the first of up to 31 characters',
  compile: (budget) => compilePattern(hostPattern(1, budget), budget),
};
