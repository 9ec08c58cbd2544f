import {
  ANY_TEXT,
  choice,
  compilePattern,
  intersect,
  literal,
  optional,
  repeat,
  sequence,
  subtract,
  type Automaton,
  type WorkBudget,
  type Pattern,
} from '../../../regular/index.js';
import { compareDecimals, magnitude, ZERO, type Decimal } from '../../shape/decimal.js';
import { nextDouble, toDouble } from '../../shape/double.js';
import type { Bound, NumberPart } from '../../shape/number-part.js';
import { DIGIT, MAX_FRACTION_DIGITS, MAX_WHOLE_DIGITS, NONZERO, plainPattern, type Comparison } from './digits.js';
import { EXACT_NUMBERS, exactMultiples, NEARLY_WHOLE } from './exact-numbers.js';
import { multiplesAutomaton } from './multiples.js';
import { LARGE_NUMBERS, SCIENTIFIC_NUMBERS, scientificPattern, SMALL_NUMBERS } from './scientific.js';

const WHOLE_DIGITS = choice(literal('0'), sequence(NONZERO, repeat(DIGIT, 0, MAX_WHOLE_DIGITS - 1)));
const FRACTION = sequence(literal('.'), repeat(DIGIT, 1, MAX_FRACTION_DIGITS));
const MINUS = literal('-');

const PLAIN = sequence(WHOLE_DIGITS, optional(FRACTION));

/** Numbers without an exponent, and with one after a single digit before the point, as programs print it. */
const ALL = signed(choice(PLAIN, SCIENTIFIC_NUMBERS));
/** Whole numbers are written without a point, as readers of whole numbers need them. */
const WHOLE = signed(choice(WHOLE_DIGITS, LARGE_NUMBERS));
const NOT_WHOLE = signed(
  choice(sequence(repeat(DIGIT, 1), literal('.'), repeat(DIGIT, 0), NONZERO, repeat(DIGIT, 0)), SMALL_NUMBERS),
);

/**
 * The texts of the numbers of a part. Both the number of a text and a client's double of it satisfy the part. Errors:
 * `grammar_too_large`.
 */
export function numberAutomaton(part: NumberPart, budget: WorkBudget): Automaton {
  const compile = (pattern: Pattern): Automaton => compilePattern(pattern, budget);
  const isWhole = part.isWhole === true;
  const conditions: Automaton[] = [];
  if (part.isWhole === false) conditions.push(subtract(compile(NOT_WHOLE), compile(NEARLY_WHOLE), budget));
  if (part.min !== undefined) conditions.push(compile(within(part.min, 'greater', isWhole)));
  if (part.max !== undefined) conditions.push(compile(within(part.max, 'less', isWhole)));
  for (const step of part.multiplesOf) {
    conditions.push(multiplesAutomaton(step, budget));
    const exact = exactMultiples(step);
    if (exact !== undefined) conditions.push(compile(exact));
  }
  for (const at of part.excluded) {
    const bound = { at, isExclusive: true };
    conditions.push(compile(choice(within(bound, 'less', isWhole), within(bound, 'greater', isWhole))));
  }
  const among = conditions.reduce((all, each) => intersect(all, each, budget), compile(isWhole ? WHOLE : ALL));
  if (part.notMultiplesOf.length === 0) return among;
  // With an exponent not all multiples are known; but a number smaller than a step is none.
  const least = part.notMultiplesOf.reduce((a, b) => (compareDecimals(a, b) < 0 ? a : b));
  const known = intersect(among, compile(signed(choice(PLAIN, scientificPattern(least, 'less')))), budget);
  const decided = intersect(known, compile(EXACT_NUMBERS), budget);
  return part.notMultiplesOf.reduce((all, step) => subtract(all, multiplesAutomaton(step, budget), budget), decided);
}

/** Texts of numbers whose double is above or below a bound, which is a double itself. */
function within(bound: Bound, side: 'less' | 'greater', isWhole: boolean): Pattern {
  const { at, isExclusive } = bound;
  // Rounding keeps order: a number that is not below a bound is not read as less. A number beyond a bound may be read
  // as the bound itself. Exceptions are whole bounds that doubles distinguish, and 0: no text is below the least
  // double.
  const isTold = at.digits === 0n || (isWhole && Number.isSafeInteger(Math.trunc(toDouble(at))));
  if (!isExclusive || isTold) return bounded(bound, side);
  const next = nextDouble(at, side === 'greater' ? 1 : -1);
  return next === undefined ? choice() : bounded({ at: next, isExclusive: false }, side);
}

function signed(of: Pattern): Pattern {
  return sequence(optional(MINUS), of);
}

/** Texts of numbers above or below a bound, among texts of numbers. */
function bounded({ at, isExclusive }: Bound, side: 'less' | 'greater'): Pattern {
  const isNegative = compareDecimals(at, ZERO) < 0;
  const amount = magnitude(at);
  const comparisons: readonly Comparison[] = isExclusive ? [side] : [side, 'equal'];
  const flipped = comparisons.map((each): Comparison =>
    each === 'equal' ? each : each === 'less' ? 'greater' : 'less',
  );
  const anyUnsigned = sequence(DIGIT, ANY_TEXT);
  const positive = compared(amount, comparisons);
  const negative = sequence(MINUS, compared(amount, flipped));
  if (isNegative) return side === 'greater' ? choice(anyUnsigned, negative) : negative;
  // Zero with a sign is zero.
  const zero = amount.digits === 0n && !isExclusive ? [sequence(MINUS, compared(ZERO, ['equal']))] : [];
  const below = sequence(MINUS, amount.digits === 0n ? compared(ZERO, ['greater']) : anyUnsigned);
  return side === 'greater' ? choice(positive, ...zero) : choice(positive, below, ...zero);
}

function compared(value: Decimal, comparisons: readonly Comparison[]): Pattern {
  return choice(...comparisons.flatMap((each) => [plainPattern(value, each), scientificPattern(value, each)]));
}
